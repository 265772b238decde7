const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'its folder does not exist',
  EEXIST: 'a file exists at that path',
  ENOTDIR: 'a file exists at that path',
  EISDIR: 'it is a folder',
  EROFS: 'it is on a read-only file system',
  EACCES: 'this user may not write to it',
  EPERM: 'this user may not write to it',
  ENOSPC: 'the disk is full',
}

/** Why a file or folder cannot be written, in words. */
export const writeFailureReason = (cause: unknown): string =>
  REASONS[(cause as { code?: string }).code ?? ''] ?? String(cause)
