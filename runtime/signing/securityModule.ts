import { fromHex } from '../../core/bytes/hex.ts'
import { CommandError, UsageError } from '../cli/errors.ts'
import type { NodeOptions } from '../cli/nodeOptions.ts'
import { readFailureReason, readTextUpTo } from '../cli/readUpTo.ts'
import type { Terminal } from '../cli/terminal/terminal.ts'
import type { NodeKey } from '../keys/nodeKey.ts'
import { logOf } from '../logging/log.ts'
import { storedValidatorKey, openConnectionKey } from './connectionBinding.ts'
import { openKeystore, readKeystore, readPasswordFile } from './keystore/readKeystore.ts'
import { type ClientTls, createSignerAgent } from './remote/httpsRequest.ts'
import { createRemoteSigner, findPublicKey } from './remote/remoteSigner.ts'
import type { SignerEndpoint } from './remote/web3signer.ts'
import { localSigner, SignerError, type ValidatorSigner } from './signer.ts'

/** The keys of a node whose validator key is not in its data path. */
export type OpenedKeys = {
  readonly signer: ValidatorSigner
  readonly connectionKey: NodeKey
}

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

const openRemote = async (options: NodeOptions): Promise<ValidatorSigner> => {
  const endpoints = endpointsOf(options)
  const { remoteSignerPublicKey, dataPath } = options
  const named =
    remoteSignerPublicKey === undefined ? storedValidatorKey(dataPath) : fromHex(remoteSignerPublicKey)
  const publicKey = named ?? (await findPublicKey(endpoints))
  return createRemoteSigner({ endpoints, publicKey, log: logOf('signer'), nowMs: () => performance.now() })
}

const openLocalKeystore = async (options: NodeOptions, terminal: Terminal): Promise<ValidatorSigner> => {
  const path = options.keystoreFile as string
  const access = { allowsOthers: options.unsafeKeyPermissions }
  const keystore = readKeystore(path, access)
  const { keystorePasswordFile } = options
  if (keystorePasswordFile === undefined && !terminal.inputInteractive)
    throw new CommandError(
      'KEY_FILE',
      `The encrypted key ${path} needs a password: give --keystore-password-file, or start the node on a terminal`,
    )
  const password =
    keystorePasswordFile === undefined
      ? await terminal.readSecret(`Password of ${path}: `)
      : readPasswordFile(keystorePasswordFile, access)
  return localSigner(await openKeystore(path, keystore, password))
}

/** Turns the failure of a signer at the start into a sentence for the user. */
export const startFailure = (cause: unknown): unknown =>
  cause instanceof SignerError
    ? new CommandError('START_FAILED', `The remote signer cannot be used: ${cause.message}`)
    : cause

/** Opens the validator's key of `--security-module`; undefined for `localfile`. @throws CommandError, UsageError */
export const openSecurityModule = async (
  options: NodeOptions,
  terminal: Terminal,
): Promise<OpenedKeys | undefined> => {
  if (options.securityModule === 'localfile') return undefined
  try {
    const signer =
      options.securityModule === 'remote'
        ? await openRemote(options)
        : await openLocalKeystore(options, terminal)
    return { signer, connectionKey: openConnectionKey(options.dataPath) }
  } catch (cause) {
    throw startFailure(cause)
  }
}
