import { HistoryPruned } from '../../../core/store/historyPruned.ts'

/** What a read gives; undefined for a block that this node has removed, so that peers ask another one. */
export const ifKept = async <T>(read: () => Promise<T>): Promise<T | undefined> => {
  try {
    return await read()
  } catch (error) {
    if (error instanceof HistoryPruned) return undefined
    throw error
  }
}
