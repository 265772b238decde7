import { StoreCorruption } from '../../store/checksum.ts'
import type { ChainHead, ChainStore } from '../../store/store.ts'
import { ChainError } from '../error.ts'

/**
 * Headers in which a block with transactions is looked for, where a store of an earlier release has no record of the chain id:
 * once, in some ten seconds at most.
 */
const SEARCHED_HEADERS = 1_000_000n

/** Only blocks with transactions are read. A damaged header is the matter of those who need it. */
const hasTransactions = async (store: ChainStore, number: bigint): Promise<boolean> => {
  try {
    const header = await store.header(number)
    return header !== undefined && header.gasUsed > 0n && (await store.hasRecord(number))
  } catch (error) {
    if (error instanceof StoreCorruption) return false
    throw error
  }
}

/** The chain id that the last transactions are signed for, however long ago; undefined where there are none. */
const chainIdOfTransactions = async (
  store: ChainStore,
  { header }: ChainHead,
): Promise<bigint | undefined> => {
  const start = store.historyStart?.() ?? 0n
  for (let number = header.number; number > start && number > header.number - SEARCHED_HEADERS; number--) {
    if (!(await hasTransactions(store, number))) continue
    for (const { chainId } of (await store.record(number))?.block.transactions ?? [])
      if (chainId !== undefined) return chainId
  }
  return undefined
}

/**
 * The chain id is no part of the genesis hash: the store has a record of it, which is written once.
 * @param head undefined for a new store
 * @throws ChainError `OTHER_CHAIN`
 */
export const requireChainId = async (
  chainId: bigint,
  store: ChainStore,
  head: ChainHead | undefined,
): Promise<void> => {
  const recorded = await store.chainId?.()
  const stored = recorded ?? (head === undefined ? undefined : await chainIdOfTransactions(store, head))
  if (stored !== undefined && stored !== chainId)
    throw new ChainError(
      'OTHER_CHAIN',
      `the data path contains a chain with the chain id ${stored}, but the genesis file has ${chainId}: use another data path, or the chain's original genesis file`,
    )
  if (recorded === undefined) await store.recordChainId?.(chainId)
}
