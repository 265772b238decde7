import { CommandError } from '../../cli/errors.ts'
import { readFailureReason, readTextUpTo } from '../../cli/readUpTo.ts'
import type { NodeKey } from '../../keys/nodeKey.ts'
import { requirePrivateFile } from '../../keys/filePermissions.ts'
import { decryptKeystore, WrongPasswordError } from './encryption.ts'
import { type Keystore, KeystoreFormatError, parseKeystore } from './keystoreFile.ts'

/** Maximum length of a key or password file: an encrypted key has half a kilobyte. */
const FILE_BYTES_MAX = 64 * 1024

const failed = (path: string, reason: string): CommandError =>
  new CommandError('KEY_FILE', `The encrypted key ${path} cannot be used: ${reason}`)

const readText = (path: string, fail: (reason: string) => CommandError): string => {
  try {
    return readTextUpTo(path, FILE_BYTES_MAX)
  } catch (cause) {
    throw fail(readFailureReason(cause))
  }
}

type Access = { readonly allowsOthers: boolean }

/** Reads and checks an encrypted key file, still encrypted. @throws CommandError */
export const readKeystore = (path: string, { allowsOthers }: Access): Keystore => {
  const text = readText(path, reason => failed(path, reason))
  if (!allowsOthers) requirePrivateFile(path)
  try {
    return parseKeystore(text)
  } catch (cause) {
    if (cause instanceof KeystoreFormatError) throw failed(path, cause.message)
    throw cause
  }
}

/** The first line of a password file. @throws CommandError */
export const readPasswordFile = (path: string, { allowsOthers }: Access): string => {
  const fail = (reason: string): CommandError =>
    new CommandError('KEY_FILE', `The password file ${path} cannot be used: ${reason}`)
  const [first = ''] = readText(path, fail).split(/\r?\n/)
  if (!allowsOthers) requirePrivateFile(path)
  if (first === '') throw fail('its first line is empty')
  return first
}

/** Decrypts a key that was read from `path`. @throws CommandError */
export const openKeystore = async (path: string, keystore: Keystore, password: string): Promise<NodeKey> => {
  try {
    return await decryptKeystore(keystore, password)
  } catch (cause) {
    if (cause instanceof WrongPasswordError || cause instanceof KeystoreFormatError)
      throw failed(path, cause.message)
    throw cause
  }
}
