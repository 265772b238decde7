import { CommandError } from '../cli/errors.ts'
import { readFailureReason, readTextUpTo } from '../cli/readUpTo.ts'

const cannotRead = (path: string, reason: string): CommandError =>
  new CommandError('INPUT', `Cannot read ${path}: ${reason}`)

/** Reads a file that an operator names. @throws CommandError of one sentence, also for one that is longer than `bytesMax` */
export const readInputFile = (path: string, bytesMax: number): string => {
  try {
    return readTextUpTo(path, bytesMax)
  } catch (cause) {
    throw cannotRead(path, readFailureReason(cause))
  }
}
