import { FREE_BYTES_MIN } from '../doctor/disk.ts'
import {
  constants,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CommandError } from '../cli/errors.ts'
import { lockDataPath } from '../drivers/lock.ts'
import { CHAIN_FOLDER } from '../drivers/open.ts'
import { writeFailureReason } from '../files/reason.ts'

export type ChainCopy = {
  /** A data path with the chain alone. */
  readonly dataPath: string
  remove(): void
}

const bytesOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).reduce(
    (sum, name) => sum + statSync(join(folder, name)).size,
    0,
  )

const requireSpace = (folder: string, bytes: number): void => {
  const { bavail, bsize } = statfsSync(folder)
  const free = bavail * bsize
  if (bytes + FREE_BYTES_MIN > free)
    throw new CommandError(
      'COPY',
      `The copy of the chain needs ${Math.ceil(bytes / 1024 ** 2)} MiB, and ${folder} has ${Math.floor(free / 1024 ** 2)} MiB free: name a folder on another disk with --copy-to`,
    )
}

/**
 * Copies the chain of a data path that no node uses into a new folder, and leaves the chain itself as it is.
 * @param parent where the folder is created; undefined for the system's temporary folder
 * @throws CommandError; DataPathInUse
 */
export const copyChain = async (dataPath: string, parent: string | undefined): Promise<ChainCopy> => {
  const chain = join(dataPath, CHAIN_FOLDER)
  if (!existsSync(chain))
    throw new CommandError(
      'COPY',
      `There is no chain in ${dataPath}: give the --data-path of a stopped node with --storage=sqlite or fs`,
    )
  const lock = await lockDataPath(dataPath)
  let copy: string | undefined
  const remove = (): void => {
    if (copy !== undefined) rmSync(copy, { recursive: true, force: true })
  }
  try {
    const created = mkdtempSync(join(parent ?? tmpdir(), 'quorate-rehearsal-'))
    copy = created
    requireSpace(created, bytesOf(chain))
    // A file system that can share the blocks of files makes the copy at once.
    cpSync(chain, join(created, CHAIN_FOLDER), { recursive: true, mode: constants.COPYFILE_FICLONE })
    return { dataPath: created, remove }
  } catch (error) {
    remove()
    if (error instanceof CommandError) throw error
    throw new CommandError('COPY', `Cannot copy the chain: ${writeFailureReason(error)}`, { cause: error })
  } finally {
    lock.release()
  }
}
