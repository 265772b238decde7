import { CommandError } from '../cli/errors.ts'
import type { NodeOptions } from '../cli/nodeOptions.ts'
import type { Terminal } from '../cli/terminal/terminal.ts'
import type { NodeKey } from '../keys/nodeKey.ts'
import { openConnectionKey } from './connectionBinding.ts'
import { openKeystore, readKeystore, readPasswordFile } from './keystore/readKeystore.ts'
import { localSigner, SignerError, type ValidatorSigner } from './signer.ts'

/** The keys of a node whose validator key is not in its data path. */
export type OpenedKeys = {
  readonly signer: ValidatorSigner
  readonly connectionKey: NodeKey
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
        ? // Loaded on use: the runtime's client for HTTPS takes part of each start.
          await (await import('./remote/openRemoteSigner.ts')).openRemoteSigner(options)
        : await openLocalKeystore(options, terminal)
    return { signer, connectionKey: openConnectionKey(options.dataPath) }
  } catch (cause) {
    throw startFailure(cause)
  }
}
