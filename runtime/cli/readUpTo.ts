import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'

/**
 * The bytes of a file, or undefined when it is longer than `bytesMax`; a longer regular file is not read.
 * @throws the error of the file system
 */
export const readUpTo = (path: string, bytesMax: number): Uint8Array | undefined => {
  const descriptor = openSync(path, 'r')
  try {
    if (fstatSync(descriptor).size > bytesMax) return undefined
    const bytes = readFileSync(descriptor)
    // A device or a pipe has no size.
    return bytes.length > bytesMax ? undefined : bytes
  } finally {
    closeSync(descriptor)
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  ENOTDIR: 'its folder is a file',
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
}

/** Why a file cannot be read, in words. @param cause the error of the file system */
export const readFailureReason = (cause: unknown): string => {
  const { code } = cause as { readonly code?: string }
  return REASONS[code ?? ''] ?? code ?? String(cause)
}
