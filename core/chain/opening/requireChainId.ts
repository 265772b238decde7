import type { ChainHead, ChainStore } from '../../store/store.ts'
import { ChainError } from '../error.ts'

/** Blocks in which a transaction with a chain id is looked for, where a store of an earlier release has no record of it. */
const SEARCHED_BLOCKS = 256n

/** The chain id that the last transactions are signed for; undefined where there are none. */
const chainIdOfTransactions = async (
  store: ChainStore,
  { header }: ChainHead,
): Promise<bigint | undefined> => {
  const start = store.historyStart?.() ?? 0n
  for (let number = header.number; number > start && number > header.number - SEARCHED_BLOCKS; number--) {
    if (!(await store.hasRecord(number))) continue
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
