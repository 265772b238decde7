import type { Chain, RecordImport } from '../../../../core/chain/chain.ts'
import type { RecoverSenders } from '../../../../core/chain/importing/validation.ts'
import { openChain } from '../../../../core/chain/opening/openChain.ts'
import type { YieldTurn } from '../../../../core/scheduler.ts'
import { openChainStore } from '../../../../core/store/chainStore.ts'
import { openStorage } from '../../../drivers/open.ts'
import { logOf } from '../../../logging/log.ts'
import { isSliceOver } from '../../../scheduler.ts'
import { executionBytesMax } from '../executionMemory.ts'
import { readGenesis } from '../genesisFile.ts'
import { copyRecords } from './copyRecords.ts'
import { isWholeWaiting, takeWhole, wholePath } from './folders.ts'

type Place = { readonly dataPath: string; readonly genesisFile: string }

export type WholeChain = {
  readonly chain: Chain
  readonly importRecord: RecordImport['importRecord']
  close(): Promise<void>
}

/** Opens the whole chain that is being built, from its genesis block at first. */
export const openWholeChain = async (
  { dataPath, genesisFile }: Place,
  recoverSenders: RecoverSenders,
  pause: YieldTurn,
  onError: (error: unknown) => void,
): Promise<WholeChain> => {
  const storage = await openStorage('sqlite', wholePath(dataPath))
  const store = await openChainStore(storage)
  try {
    const chain = await openChain({
      genesis: readGenesis(genesisFile),
      store,
      recoverSenders,
      pause,
      isPauseDue: isSliceOver,
      executionBytesMax: executionBytesMax(),
      onError,
    })
    return { chain, importRecord: chain.importRecord, close: () => store.close() }
  } catch (error) {
    await store.close()
    throw error
  }
}

const noPause: YieldTurn = () => undefined

/** Copies the last blocks into the whole chain, so that none of this node is lost. */
const completeWhole = async (place: Place, recoverSenders: RecoverSenders): Promise<void> => {
  const raise = (error: unknown): never => {
    throw error
  }
  const pruned = await openChainStore(await openStorage('sqlite', place.dataPath))
  try {
    const whole = await openWholeChain(place, recoverSenders, noPause, raise)
    try {
      await copyRecords(pruned, whole, noPause, () => false)
    } finally {
      await whole.close()
    }
  } finally {
    await pruned.close()
  }
}

/**
 * Puts the whole chain in the place of the pruned one where it is complete. Only called while the data path is locked and the
 * chain is closed. A whole chain that cannot be used stays beside.
 */
export const useWholeChain = async (
  { dataPath, genesisFile }: { readonly dataPath: string; readonly genesisFile: string | undefined },
  recoverSenders: RecoverSenders,
): Promise<void> => {
  const log = logOf('chain')
  try {
    if (genesisFile !== undefined && isWholeWaiting(dataPath))
      await completeWhole({ dataPath, genesisFile }, recoverSenders)
    if (takeWhole(dataPath)) log.info('This node has all its history again')
  } catch (error) {
    log.error('The chain with all history cannot be used yet: {error}. The next start tries again', { error })
  }
}
