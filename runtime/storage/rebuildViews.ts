import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openChainStore } from '../../core/store/chainStore.ts'
import { VIEWS_FILE } from '../drivers/sqlite.ts'
import { openStorage } from '../drivers/open.ts'

/** The log of the database goes first: beside a new file it would be taken for its log. */
const SUFFIXES = ['-wal', '-wal-kept', '-shm', '']

/**
 * Deletes the views and builds them again from the block records. A stop in between leaves it to the next start.
 * @throws StoreCorruption for a damaged record
 */
export const rebuildViews = async (dataPath: string, chainFolder: string): Promise<void> => {
  for (const suffix of SUFFIXES) {
    const path = join(chainFolder, `${VIEWS_FILE}${suffix}`)
    if (existsSync(path)) rmSync(path)
  }
  const storage = await openStorage('sqlite', dataPath)
  const store = await openChainStore(storage)
  try {
    await store.flush()
  } finally {
    await store.close()
  }
}
