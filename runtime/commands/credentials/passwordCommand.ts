import { type Command, defineCommand } from '../../cli/command.ts'
import { textOption } from '../../cli/option.ts'
import { GROUP } from '../sharedOptions.ts'

export type PasswordOptions = typeof PASSWORD_OPTIONS
const PASSWORD_OPTIONS = {
  password: textOption({
    name: 'password',
    group: GROUP,
    fallback: undefined,
    shownDefault: 'read from the terminal or standard input',
    description: 'The password; the shell keeps it in its history',
  }),
}

export const PASSWORD_COMMAND: Command = defineCommand({
  name: 'password hash',
  summary: 'Print the bcrypt hash of a password for a credentials file',
  arguments: '',
  options: PASSWORD_OPTIONS,
  examples: ['', '< password.txt'],
  load: async () => (await import('./passwordHash.ts')).hashPassword,
})
