import { existsSync } from 'node:fs'
import { fromHex, toHex } from '../../../core/bytes/hex.ts'
import type { CommandContext } from '../../cli/command.ts'
import { CommandError, requireOption } from '../../cli/errors.ts'
import type { Terminal } from '../../cli/terminal/terminal.ts'
import { writeFileAtomically } from '../../files/atomic.ts'
import { writeFailureReason } from '../../files/reason.ts'
import { requirePrivateFile } from '../../keys/filePermissions.ts'
import { type NodeKey, nodeKeyOf, readNodeKey, writeNodeKey } from '../../keys/nodeKey.ts'
import { encryptKeystore } from '../../signing/keystore/encryption.ts'
import { openKeystore, readKeystore, readPasswordFile } from '../../signing/keystore/readKeystore.ts'
import type { KeysExportOptions, KeysImportOptions, PasswordChangeOptions } from './keysCommands.ts'

/** Maximum length of a typed or piped key. */
const INPUT_BYTES_MAX = 4096
const SECRET = 0o600

type Passwords = {
  readonly keystorePasswordFile: string | undefined
  readonly unsafeKeyPermissions: boolean
}

const requireAbsent = (path: string): void => {
  if (existsSync(path))
    throw new CommandError('KEY_FILE', `${path} exists: this command overwrites no key. Give another path`)
}

const passwordFrom = async (
  path: string | undefined,
  flag: string,
  { unsafeKeyPermissions }: Passwords,
  terminal: Terminal,
  ask: () => Promise<string>,
): Promise<string> => {
  if (path !== undefined) return readPasswordFile(path, { allowsOthers: unsafeKeyPermissions })
  if (!terminal.inputInteractive)
    throw new CommandError('INPUT', `A password is needed: give --${flag}, or use a terminal`)
  return ask()
}

const oldPassword = (options: Passwords, terminal: Terminal): Promise<string> =>
  passwordFrom(options.keystorePasswordFile, 'keystore-password-file', options, terminal, () =>
    terminal.readSecret('Password: '),
  )

const newPassword = (
  path: string | undefined,
  flag: string,
  options: Passwords,
  terminal: Terminal,
): Promise<string> =>
  passwordFrom(path, flag, options, terminal, async () => {
    const first = await terminal.readSecret('New password: ')
    if (first === '') throw new CommandError('INPUT', 'The password is empty')
    if (first !== (await terminal.readSecret('Again: ')))
      throw new CommandError('INPUT', 'The two passwords differ')
    return first
  })

const parseKey = (text: string): NodeKey => {
  const digits = text.trim()
  try {
    if (/^(0x)?[0-9a-f]{64}$/i.test(digits)) return nodeKeyOf(fromHex(digits))
  } catch {
    // Zero, or not below the order of the curve.
  }
  throw new CommandError('INPUT', 'The input is not a private key: one line of 32 bytes in hex')
}

const keyToImport = async ({ options, terminal }: CommandContext<KeysImportOptions>): Promise<NodeKey> => {
  const { from, unsafeKeyPermissions } = options
  if (from === undefined)
    return parseKey(
      await (terminal.inputInteractive
        ? terminal.readSecret('Private key: ')
        : terminal.readInput(INPUT_BYTES_MAX)),
    )
  const key = readNodeKey(from)
  if (key === undefined) throw new CommandError('KEY_FILE', `Private key file doesn't exist: ${from}`)
  if (!unsafeKeyPermissions) requirePrivateFile(from)
  return key
}

/** @throws CommandError */
const writeKeystore = (path: string, text: string): void => {
  try {
    writeFileAtomically(path, text, SECRET)
  } catch (cause) {
    throw new CommandError(
      'KEY_FILE',
      `The encrypted key ${path} cannot be written: ${writeFailureReason(cause)}. Nothing was changed`,
      { cause },
    )
  }
}

/** Encrypts a private key into a new file. @throws CommandError, UsageError */
export const importKey = async (context: CommandContext<KeysImportOptions>): Promise<number> => {
  const { options, terminal } = context
  const path = requireOption(options.keystoreFile, '--keystore-file=<PATH>')
  requireAbsent(path)
  const key = await keyToImport(context)
  const password = await newPassword(
    options.keystorePasswordFile,
    'keystore-password-file',
    options,
    terminal,
  )
  writeKeystore(path, await encryptKeystore(key, password))
  terminal.out(`Wrote ${path} with the key of ${toHex(key.address)}`)
  return 0
}

const openKey = async (path: string, options: Passwords, terminal: Terminal): Promise<NodeKey> => {
  const keystore = readKeystore(path, { allowsOthers: options.unsafeKeyPermissions })
  return openKeystore(path, keystore, await oldPassword(options, terminal))
}

/** Decrypts a key file into a new file. @throws CommandError, UsageError */
export const exportKey = async ({
  options,
  terminal,
}: CommandContext<KeysExportOptions>): Promise<number> => {
  const path = requireOption(options.keystoreFile, '--keystore-file=<PATH>')
  const to = requireOption(options.to, '--to=<PATH>')
  requireAbsent(to)
  const key = await openKey(path, options, terminal)
  writeNodeKey(to, key)
  terminal.out(`Wrote ${to} with the key of ${toHex(key.address)}, not encrypted`)
  return 0
}

/** Encrypts a key file with another password; the file is replaced at once or not at all. @throws CommandError, UsageError */
export const changePassword = async ({
  options,
  terminal,
}: CommandContext<PasswordChangeOptions>): Promise<number> => {
  const path = requireOption(options.keystoreFile, '--keystore-file=<PATH>')
  const key = await openKey(path, options, terminal)
  const password = await newPassword(options.newPasswordFile, 'new-password-file', options, terminal)
  writeKeystore(path, await encryptKeystore(key, password))
  terminal.out(`${path} has another password`)
  return 0
}
