import { errorText } from '../../core/text/errorText.ts'
import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'

export type LogFileOptions = {
  readonly path: string
  /** A file that would become longer is rotated. */
  readonly bytesMax: number
  /** Older files kept, `path.1` the newest of them. */
  readonly kept: number
  /** Says that the log cannot be written, once. */
  readonly onFailure: (reason: string) => void
}

export type LogFile = {
  /** Appends a line. A full disk loses lines, and stops nothing. */
  readonly write: (line: string) => void
  /** Opens the file by its name again: another program may have moved it. */
  readonly reopen: () => void
  readonly close: () => void
}

type State = { readonly options: LogFileOptions; file: number | undefined; bytes: number; hasFailed: boolean }

const open = (state: State): void => {
  const { path } = state.options
  mkdirSync(dirname(path), { recursive: true })
  state.file = openSync(path, 'a', 0o644)
  state.bytes = fstatSync(state.file).size
}

const close = (state: State): void => {
  if (state.file !== undefined) closeSync(state.file)
  state.file = undefined
}

const rotate = (state: State): void => {
  const { path, kept } = state.options
  close(state)
  if (kept === 0) rmSync(path, { force: true })
  for (let age = kept; age > 0; age--) {
    const from = age === 1 ? path : `${path}.${age - 1}`
    if (existsSync(from)) renameSync(from, `${path}.${age}`)
  }
  open(state)
}

const safely = (state: State, work: () => void): void => {
  try {
    work()
    state.hasFailed = false
  } catch (error) {
    if (!state.hasFailed) state.options.onFailure(errorText(error))
    state.hasFailed = true
  }
}

/** The beginning of a line in either format. */
const LINE = /^(?:\d{4}-\d\d-\d\d \d\d:\d\d:|\{"time":")/
const LINE_BYTES = 20

/** True unless the path is a file with other content, such as a key, to which no log may be appended. */
export const isLogOrFree = (path: string): boolean => {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined || !found.isFile() || found.size === 0) return true
  const file = openSync(path, 'r')
  try {
    const start = new Uint8Array(LINE_BYTES)
    return LINE.test(new TextDecoder().decode(start.subarray(0, readSync(file, start))))
  } finally {
    closeSync(file)
  }
}

/** Opens a file for the log, and makes its folder. @throws the error of the file system */
export const openLogFile = (options: LogFileOptions): LogFile => {
  const state: State = { options, file: undefined, bytes: 0, hasFailed: false }
  open(state)
  return {
    write: line =>
      safely(state, () => {
        const bytes = new TextEncoder().encode(`${line}\n`)
        if (state.bytes > 0 && state.bytes + bytes.length > options.bytesMax) rotate(state)
        if (state.file === undefined) open(state)
        state.bytes += writeSync(state.file as number, bytes)
      }),
    reopen: () =>
      safely(state, () => {
        close(state)
        open(state)
      }),
    close: () => close(state),
  }
}
