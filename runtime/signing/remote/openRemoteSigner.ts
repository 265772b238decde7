import { fromHex } from '../../../core/bytes/hex.ts'
import { UsageError } from '../../cli/errors.ts'
import type { NodeOptions } from '../../cli/nodeOptions.ts'
import { readFailureReason, readTextUpTo } from '../../cli/readUpTo.ts'
import { logOf } from '../../logging/log.ts'
import { storedValidatorKey } from '../connectionBinding.ts'
import type { ValidatorSigner } from '../signer.ts'
import { type ClientTls, createSignerAgent } from './httpsRequest.ts'
import { createRemoteSigner, findPublicKey } from './remoteSigner.ts'
import type { SignerEndpoint } from './web3signer.ts'

/** Maximum length of a file of certificates or of a key. */
const PEM_BYTES_MAX = 1024 * 1024

const readPem = (flag: string, path: string | undefined): string | undefined => {
  if (path === undefined) return undefined
  try {
    return readTextUpTo(path, PEM_BYTES_MAX)
  } catch (cause) {
    throw new UsageError('INVALID_FILE', `--${flag}: ${path} cannot be read: ${readFailureReason(cause)}`)
  }
}

const clientTls = (options: NodeOptions): ClientTls => ({
  ca: readPem('remote-signer-ca-file', options.remoteSignerCaFile),
  cert: readPem('remote-signer-client-cert-file', options.remoteSignerClientCertFile),
  key: readPem('remote-signer-client-key-file', options.remoteSignerClientKeyFile),
})

const endpointsOf = (options: NodeOptions): readonly SignerEndpoint[] => {
  const tls = clientTls(options)
  return options.remoteSignerUrls.map(url => ({
    url: new URL(url),
    agent: createSignerAgent(),
    tls,
    timeoutMs: options.remoteSignerTimeout,
  }))
}

/** Opens the key at the remote signers of the options. @throws SignerError, UsageError */
export const openRemoteSigner = async (options: NodeOptions): Promise<ValidatorSigner> => {
  const endpoints = endpointsOf(options)
  const { remoteSignerPublicKey, dataPath } = options
  const named =
    remoteSignerPublicKey === undefined ? storedValidatorKey(dataPath) : fromHex(remoteSignerPublicKey)
  const publicKey = named ?? (await findPublicKey(endpoints))
  return createRemoteSigner({ endpoints, publicKey, log: logOf('signer'), nowMs: () => performance.now() })
}
