import { openChainStore } from '../../core/store/chainStore.ts'
import { openStorage } from '../drivers/open.ts'
import { removeViews } from '../drivers/sqliteFolder.ts'

/**
 * Deletes the views and builds them again from the block records. A stop in between leaves it to the next start.
 * @throws StoreCorruption for a damaged record
 */
export const rebuildViews = async (dataPath: string, chainFolder: string): Promise<void> => {
  removeViews(chainFolder)
  const storage = await openStorage('sqlite', dataPath)
  const store = await openChainStore(storage)
  try {
    await store.flush()
  } finally {
    await store.close()
  }
}
