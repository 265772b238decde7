import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { concatBytes } from '../../core/bytes/bytes.ts'

/** Bytes read at once from a device or a pipe, which have no size. */
const CHUNK_BYTES = 64 * 1024

/** Longest wait for the writer of a pipe, which may never come or never write. */
const PIPE_WAIT_MS = 5_000
/** Interval between looks at a pipe. */
const PIPE_LOOK_MS = 10

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  ENOTDIR: 'its folder is a file',
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
}

type Opened = { readonly descriptor: number; readonly size: number; readonly isPipe: boolean }

/** A file cannot be read. The message is the reason in words, and contains nothing of the file. */
export class FileReadError extends Error {
  override readonly name = 'FileReadError'
  /** The code of the file system, such as ENOENT, or TOO_LONG. */
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

const failureOf = (cause: unknown): FileReadError => {
  if (cause instanceof FileReadError) return cause
  const code = (cause as { readonly code?: string }).code ?? 'UNKNOWN'
  return new FileReadError(code, REASONS[code] ?? (code === 'UNKNOWN' ? String(cause) : code))
}

const sleep = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

/** What a pipe holds now; undefined while it is empty and has a writer. */
const readNow = (descriptor: number, chunk: Uint8Array): number | undefined => {
  try {
    return readSync(descriptor, chunk)
  } catch (cause) {
    if ((cause as { readonly code?: string }).code === 'EAGAIN') return undefined
    throw cause
  }
}

/** Reads a pipe that was opened without waiting. Before its first bytes, no writer is no end. @throws FileReadError */
const readPipe = (descriptor: number, chunk: Uint8Array, hasBegun: boolean): number => {
  for (let waitedMs = 0; waitedMs < PIPE_WAIT_MS; waitedMs += PIPE_LOOK_MS) {
    const count = readNow(descriptor, chunk)
    if (count !== undefined && (count > 0 || hasBegun)) return count
    sleep(PIPE_LOOK_MS)
  }
  throw new FileReadError(
    'TIMEOUT',
    `it is a pipe into which nothing was written for ${PIPE_WAIT_MS / 1000} s`,
  )
}

const readChunks = ({ descriptor, size, isPipe }: Opened, bytesMax: number): Uint8Array => {
  const chunks: Uint8Array[] = []
  let length = 0
  while (length < bytesMax) {
    const chunk = new Uint8Array(Math.min(Math.max(CHUNK_BYTES, size + 1), bytesMax - length))
    const count = isPipe ? readPipe(descriptor, chunk, length > 0) : readSync(descriptor, chunk)
    if (count === 0) break
    chunks.push(chunk.subarray(0, count))
    length += count
  }
  return concatBytes(...chunks)
}

const readOpened = (path: string, read: (opened: Opened) => Uint8Array): Uint8Array => {
  let descriptor: number | undefined
  try {
    // A pipe without a writer would hold the process in the call that opens it.
    const isPipe = statSync(path).isFIFO()
    descriptor = openSync(path, constants.O_RDONLY | (isPipe ? constants.O_NONBLOCK : 0))
    return read({ descriptor, size: fstatSync(descriptor).size, isPipe })
  } catch (cause) {
    throw failureOf(cause)
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

/** The first bytes of a file, at most `bytesMax`. @throws FileReadError */
export const readBeginning = (path: string, bytesMax: number): Uint8Array =>
  readOpened(path, opened => readChunks(opened, bytesMax))

/**
 * The bytes of a file that somebody else wrote. At most `bytesMax` and one more byte are read, so a device without an end
 * takes no more memory. @throws FileReadError
 */
export const readUpTo = (path: string, bytesMax: number): Uint8Array =>
  readOpened(path, opened => {
    const bytes = opened.size > bytesMax ? undefined : readChunks(opened, bytesMax + 1)
    if (bytes === undefined || bytes.length > bytesMax)
      throw new FileReadError('TOO_LONG', `it is longer than ${bytesMax} bytes`)
    return bytes
  })

/** As `readUpTo`, the text of a UTF-8 file. @throws FileReadError */
export const readTextUpTo = (path: string, bytesMax: number): string =>
  new TextDecoder().decode(readUpTo(path, bytesMax))

/** Why a file cannot be read, in words. @param cause what `readUpTo` threw */
export const readFailureReason = (cause: unknown): string => failureOf(cause).message
