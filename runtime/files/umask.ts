import process from 'node:process'

/** Permissions to write for the group and for others. */
const FOREIGN_WRITES = 0o022

/** All permissions of the group and of others, and to execute. */
const NOT_PRIVATE = 0o177

/**
 * Keeps this process from creating files and folders that other users may write to, whatever umask it was started with. Files are
 * created in many places, also by SQLite and by the runtimes: a mode for each would miss some. A stricter umask stays.
 */
export const forbidForeignWrites = (): void => {
  process.umask(process.umask() | FOREIGN_WRITES)
}

/** Runs `create`, whose files and sockets only the user of this process may open from the beginning. */
export const withPrivateFiles = async (create: () => Promise<void>): Promise<void> => {
  const before = process.umask(NOT_PRIVATE)
  try {
    await create()
  } finally {
    process.umask(before)
  }
}
