import { errorText } from '../../../core/text/errorText.ts'
import process from 'node:process'
import type { NodeOptions } from '../../cli/nodeOptions.ts'
import type { Log } from '../../logging/log.ts'
import type { Server } from '../../serving/serve.ts'
import { expiringCertificates, readListenerTls, usesTls } from './tls.ts'

/** The listeners of the ports that may have TLS. */
export type TlsListeners = Readonly<Record<'http' | 'ws' | 'graphql', Pick<Server, 'renewTls'> | undefined>>

const renew = async (options: NodeOptions, listeners: TlsListeners, log: Log): Promise<void> => {
  try {
    const tls = readListenerTls(options)
    for (const port of ['http', 'ws', 'graphql'] as const) {
      const files = tls[port]
      if (files !== undefined) await listeners[port]?.renewTls?.(files)
    }
    log.info('SIGHUP: the certificates were read again; connections that are open keep theirs')
    for (const warning of expiringCertificates(options, Date.now())) log.warn('{warning}', { warning })
  } catch (error) {
    log.error('SIGHUP: the certificates stay as they are: {reason}', {
      reason: errorText(error),
      error,
    })
  }
}

/**
 * Reads the files of TLS again at SIGHUP: certificates are renewed every few weeks. Files that cannot be used change nothing.
 * Returns the function that ends it.
 */
export const renewCertificatesOnHangUp = (
  options: NodeOptions,
  listeners: TlsListeners,
  log: Log,
): (() => void) => {
  if (!usesTls(options)) return () => undefined
  let running = Promise.resolve()
  const onHangUp = (): void => {
    running = running.then(() => renew(options, listeners, log))
  }
  process.on('SIGHUP', onHangUp)
  return () => void process.off('SIGHUP', onHangUp)
}
