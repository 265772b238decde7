import { hashSync } from 'bcryptjs'
import { COST_DEFAULT, passwordProblem } from '../../../handlers/auth/login/password.ts'
import type { CommandContext } from '../../cli/command.ts'
import type { PasswordOptions } from './passwordCommand.ts'
import { CommandError } from '../../cli/errors.ts'
import type { Terminal } from '../../cli/terminal/terminal.ts'

/** Maximum input length: more than any password. */
const INPUT_BYTES_MAX = 4096

const wrong = (text: string): CommandError => new CommandError('INPUT', text)

const readPiped = async (terminal: Terminal): Promise<string> => {
  try {
    // A final line end is not part of the password.
    return (await terminal.readInput(INPUT_BYTES_MAX)).replace(/\r?\n$/, '')
  } catch (cause) {
    throw wrong(`The password cannot be read: ${(cause as Error).message}`)
  }
}

const askTwice = async (terminal: Terminal): Promise<string> => {
  const first = await terminal.readSecret('Password: ')
  const second = await terminal.readSecret('Again: ')
  if (first !== second) throw wrong('The two passwords differ')
  return first
}

/** Prints the bcrypt hash of a password for a credentials file, as Besu writes it: `$2a$10$...`. */
export const hashPassword = async ({
  options,
  terminal,
}: CommandContext<PasswordOptions>): Promise<number> => {
  const password =
    options.password ?? (await (terminal.inputInteractive ? askTwice(terminal) : readPiped(terminal)))
  if (password === '') throw wrong('The password is empty')
  const problem = passwordProblem(password)
  if (problem !== undefined) throw wrong(`The password cannot be used: ${problem}`)
  // For passwords of up to 72 bytes without a zero byte both names mean the same algorithm; Besu writes the older one.
  terminal.out(hashSync(password, COST_DEFAULT).replace(/^\$2b\$/, '$2a$'))
  return 0
}
