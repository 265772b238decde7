import { type Command, defineCommand } from '../../cli/command.ts'
import { SIGNING_OPTIONS } from '../../cli/options/signing.ts'
import { pathOption } from '../../cli/option.ts'
import { GROUP } from '../sharedOptions.ts'

const { keystoreFile, keystorePasswordFile, unsafeKeyPermissions } = SIGNING_OPTIONS

const SHARED = { keystoreFile, keystorePasswordFile, unsafeKeyPermissions }

export type KeysImportOptions = typeof IMPORT_OPTIONS
const IMPORT_OPTIONS = {
  ...SHARED,
  from: pathOption({
    name: 'from',
    group: GROUP,
    fallback: undefined,
    shownDefault: 'read from the terminal or standard input',
    description: 'File with the private key, one line of 32 bytes in hex',
  }),
}

export type KeysExportOptions = typeof EXPORT_OPTIONS
const EXPORT_OPTIONS = {
  ...SHARED,
  to: pathOption({
    name: 'to',
    group: GROUP,
    fallback: undefined,
    description: 'File for the private key, not encrypted; it must not exist',
  }),
}

export type PasswordChangeOptions = typeof PASSWORD_OPTIONS
const PASSWORD_OPTIONS = {
  ...SHARED,
  newPasswordFile: pathOption({
    name: 'new-password-file',
    group: GROUP,
    fallback: undefined,
    shownDefault: 'read from the terminal',
    description: 'File whose first line is the new password',
  }),
}

export const KEYS_COMMANDS: readonly Command[] = [
  defineCommand({
    name: 'keys import',
    summary: 'Encrypt a private key into a new --keystore-file',
    arguments: '',
    options: IMPORT_OPTIONS,
    examples: ['--from=data/key --keystore-file=validator.json'],
    load: async () => (await import('./keys.ts')).importKey,
  }),
  defineCommand({
    name: 'keys export',
    summary: 'Decrypt a --keystore-file into a new key file',
    arguments: '',
    options: EXPORT_OPTIONS,
    examples: ['--keystore-file=validator.json --to=key'],
    load: async () => (await import('./keys.ts')).exportKey,
  }),
  defineCommand({
    name: 'keys change-password',
    summary: 'Encrypt a --keystore-file with another password',
    arguments: '',
    options: PASSWORD_OPTIONS,
    examples: ['--keystore-file=validator.json'],
    load: async () => (await import('./keys.ts')).changePassword,
  }),
]
