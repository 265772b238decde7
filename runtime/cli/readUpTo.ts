import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { concatBytes } from '../../core/bytes/bytes.ts'

/** Bytes read at once from a device or a pipe, which have no size. */
const CHUNK_BYTES = 64 * 1024

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  ENOTDIR: 'its folder is a file',
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
}

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

const readChunks = (descriptor: number, size: number, bytesMax: number): Uint8Array => {
  const chunks: Uint8Array[] = []
  let length = 0
  while (length < bytesMax) {
    const chunk = new Uint8Array(Math.min(Math.max(CHUNK_BYTES, size + 1), bytesMax - length))
    const count = readSync(descriptor, chunk)
    if (count === 0) break
    chunks.push(chunk.subarray(0, count))
    length += count
  }
  return concatBytes(...chunks)
}

const readOpened = (path: string, read: (descriptor: number, size: number) => Uint8Array): Uint8Array => {
  let descriptor: number | undefined
  try {
    descriptor = openSync(path, 'r')
    return read(descriptor, fstatSync(descriptor).size)
  } catch (cause) {
    throw failureOf(cause)
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

/** The first bytes of a file, at most `bytesMax`. @throws FileReadError */
export const readBeginning = (path: string, bytesMax: number): Uint8Array =>
  readOpened(path, (descriptor, size) => readChunks(descriptor, size, bytesMax))

/**
 * The bytes of a file that somebody else wrote. At most `bytesMax` and one more byte are read, so a device without an end
 * takes no more memory. @throws FileReadError
 */
export const readUpTo = (path: string, bytesMax: number): Uint8Array =>
  readOpened(path, (descriptor, size) => {
    const bytes = size > bytesMax ? undefined : readChunks(descriptor, size, bytesMax + 1)
    if (bytes === undefined || bytes.length > bytesMax)
      throw new FileReadError('TOO_LONG', `it is longer than ${bytesMax} bytes`)
    return bytes
  })

/** As `readUpTo`, the text of a UTF-8 file. @throws FileReadError */
export const readTextUpTo = (path: string, bytesMax: number): string =>
  new TextDecoder().decode(readUpTo(path, bytesMax))

/** Why a file cannot be read, in words. @param cause what `readUpTo` threw */
export const readFailureReason = (cause: unknown): string => failureOf(cause).message
