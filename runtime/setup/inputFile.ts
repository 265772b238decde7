import { readFileSync, statSync } from 'node:fs'
import { CommandError } from '../cli/errors.ts'

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  ENOTDIR: 'its folder is a file',
  EACCES: 'this user may not read it',
}

const cannotRead = (path: string, reason: string): CommandError =>
  new CommandError('INPUT', `Cannot read ${path}: ${reason}`)

/** Reads a file that an operator names. @throws CommandError of one sentence, also for one that is longer than `bytesMax` */
export const readInputFile = (path: string, bytesMax: number): string => {
  try {
    if (statSync(path).size > bytesMax) throw cannotRead(path, `it is longer than ${bytesMax} bytes`)
    const bytes = readFileSync(path)
    // A device or a pipe has no size.
    if (bytes.length > bytesMax) throw cannotRead(path, `it is longer than ${bytesMax} bytes`)
    return new TextDecoder().decode(bytes)
  } catch (cause) {
    if (cause instanceof CommandError) throw cause
    throw cannotRead(path, REASONS[(cause as { code?: string }).code ?? ''] ?? String(cause))
  }
}
