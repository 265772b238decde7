import { genesisHeadOf, openGenesis } from '../../../core/chain/opening/openGenesis.ts'
import { BALANCE_WEI } from '../../../core/genesis/development/development.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../../core/genesis/development/accounts.ts'
import type { Genesis } from '../../../core/genesis/genesis.ts'
import { type EditList, editListOf, type StateEdit } from '../../../core/state/edits.ts'
import { openChainStore } from '../../../core/store/chainStore.ts'
import { keyValueOfDriver } from '../../../core/store/keyvalue/driverStore.ts'
import type { KeyValueStore } from '../../../core/store/keyvalue/keyvalue.ts'
import type { RewindableStore } from '../../../core/store/store.ts'
import { openMemoryDriver } from '../../drivers/memory.ts'
import type { openForkedStore } from '../../fork/forkedStore.ts'
import type { ForkPoint } from '../../fork/forkPoint.ts'
import { exclusiveTurn } from '../../scheduler.ts'
import { type Edits, openEdits } from './edits.ts'
import { followingStore } from './followingStore.ts'

/** A chain that a development node has: the one of its storage, or one in memory that a reset began. */
export type DevelopmentChain = {
  readonly store: RewindableStore
  readonly edits: Edits
  /** Undefined for a chain of its own. */
  readonly fork: ForkPoint | undefined
}

/** The chains of a development node, one of which is current. */
export type DevelopmentChains = {
  /** That of the storage. */
  readonly first: DevelopmentChain
  /** Those of the current chain, whichever it is. */
  readonly store: RewindableStore
  readonly edits: Edits
  current(): DevelopmentChain
  /** The caller makes sure that no block is in production. */
  use(chain: DevelopmentChain): void
  /** Begins a chain in memory, which is not current yet. @throws RpcError `FORK_UNAVAILABLE` */
  begin(fork: ForkPoint | undefined): Promise<DevelopmentChain>
}

/** The number of the first block of a chain: its genesis block, or the block that it forks. */
export const firstBlockOf = ({ fork }: Pick<DevelopmentChain, 'fork'>): bigint => BigInt(fork?.number ?? 0)

/** The accounts of the forked network, whose keys are public, get the balances of a development chain. */
const FUNDED: readonly StateEdit[] = DEVELOPMENT_ACCOUNTS.map(({ address }) => ({
  kind: 'balance',
  address,
  wei: BALANCE_WEI,
}))

/** The edits of the state with which a chain begins. */
export const firstEditsOf = ({ fork }: Pick<DevelopmentChain, 'fork'>): EditList =>
  fork === undefined ? undefined : editListOf(FUNDED)

/** Imported on use: most chains fork nothing. */
const openForked = async (...from: Parameters<typeof openForkedStore>): Promise<RewindableStore> =>
  (await import('../../fork/forkedStore.ts')).openForkedStore(...from)

const inMemory = async (genesis: Genesis, fork: ForkPoint | undefined): Promise<DevelopmentChain> => {
  const storage = keyValueOfDriver(openMemoryDriver(), 'none', exclusiveTurn)
  const store =
    fork === undefined
      ? await openChainStore(storage, { rewinds: true })
      : await openForked(storage, fork, genesisHeadOf(genesis).hash)
  await openGenesis(genesis, store)
  const edits = await openEdits(storage)
  await edits.goBack(firstBlockOf({ fork }), firstEditsOf({ fork }))
  return { store, edits, fork }
}

const followingEdits = (current: () => Edits): Edits => ({
  after: number => current().after(number),
  get isEmpty() {
    return current().isEmpty
  },
  add: (number, edit) => current().add(number, edit),
  noteHeaders: () => current().noteHeaders(),
  goBack: (number, edits) => current().goBack(number, edits),
})

/**
 * Opens the chain of the storage of a development node.
 * @param isNew whether it is not stored yet
 * @throws RpcError `FORK_UNAVAILABLE`
 */
export const openFirstChain = async (
  storage: KeyValueStore,
  genesis: Genesis,
  fork: ForkPoint | undefined,
  isNew: boolean,
): Promise<DevelopmentChain> => {
  const edits = await openEdits(storage)
  if (fork !== undefined && isNew) await edits.goBack(firstBlockOf({ fork }), firstEditsOf({ fork }))
  const store =
    fork === undefined
      ? await openChainStore(storage, { rewinds: true })
      : await openForked(storage, fork, genesisHeadOf(genesis).hash)
  const head = store.head()?.header.number
  // A killed process may have lost blocks above a snapshot, and with them what was edited after them.
  if (head !== undefined) await edits.goBack(head, edits.after(head))
  return { store, edits, fork }
}

/** @param readGenesis reads the genesis of this node again, because its accounts are not kept in memory */
export const createDevelopmentChains = (
  first: DevelopmentChain,
  readGenesis: () => Genesis,
): DevelopmentChains => {
  let current = first
  return {
    first,
    store: followingStore(() => current.store),
    edits: followingEdits(() => current.edits),
    current: () => current,
    use: chain => {
      current = chain
    },
    begin: fork => inMemory(readGenesis(), fork),
  }
}
