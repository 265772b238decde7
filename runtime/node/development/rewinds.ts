import { RewindRefused } from '../../../core/store/recovery/rewind.ts'
import type { BlockRecord } from '../../../core/store/store.ts'
import {
  DevelopmentRefused,
  REMOVED_BLOCKS_MAX,
  type ForkingRequest,
  type Rewound,
  type RpcDevelopment,
} from '../../../handlers/rpc/development/development.ts'
import { type DevelopmentChain, type DevelopmentChains, firstBlockOf, firstEditsOf } from './chains.ts'
import type { DevelopmentOptions } from './developmentOptions.ts'
import { NO_CHOICE } from './headerChoice.ts'
import type { ChainSnapshot } from './snapshots.ts'

const removedBlocks = async ({ chain }: DevelopmentOptions, target: bigint): Promise<BlockRecord[]> => {
  const head = chain.head().header.number
  const records: BlockRecord[] = []
  for (let number = head; number > target && records.length < REMOVED_BLOCKS_MAX; number--) {
    const record = await chain.store.record(number)
    if (record !== undefined) records.push(record)
  }
  return records
}

/** Restores everything that a snapshot holds. @throws DevelopmentRefused */
const goBack = async (
  options: DevelopmentOptions,
  { number, edits, pooled, header }: ChainSnapshot,
): Promise<Rewound> => {
  const { chain, rewinding, pool, submit } = options
  const removed = await removedBlocks(options, number)
  try {
    await rewinding.rewind(number)
  } catch (cause) {
    if (cause instanceof RewindRefused) throw new DevelopmentRefused(cause.message, { cause })
    throw cause
  }
  for (const { transaction } of pool.list()) pool.remove(transaction.hash)
  await options.chains.edits.goBack(number, edits)
  // The first block has no time of its own: its timestamp is 0, or that of another network.
  if (number === firstBlockOf(options.chains.current())) options.clock.begin()
  else options.clock.goOnFromHead()
  options.headers.set(header)
  await submit(pooled.map(({ transaction, sender }) => ({ transaction, sender })))
  return { head: chain.head(), removed }
}

const firstSnapshotOf = (chain: DevelopmentChain): ChainSnapshot => ({
  number: firstBlockOf(chain),
  edits: firstEditsOf(chain),
  pooled: [],
  header: NO_CHOICE,
})

/** The chain after a reset. Without a fork it is the chain of the storage, unless that one forks a network. */
const chainAfterReset = async (
  chains: DevelopmentChains,
  forking: ForkingRequest | undefined,
): Promise<DevelopmentChain> => {
  const current = chains.current()
  const url = forking?.url ?? (forking === undefined ? undefined : current.fork?.url)
  if (url === undefined) {
    if (chains.first.fork === undefined) return chains.first
    return current.fork === undefined ? current : chains.begin(undefined)
  }
  const { fork } = current
  const isSame = url === fork?.url && (forking?.block === undefined || forking.block === fork.number)
  if (isSame) return current
  const { chooseForkPoint } = await import('../../fork/forkPoint.ts')
  return chains.begin(await chooseForkPoint({ url, block: forking?.block }))
}

type Rewinds = Pick<RpcDevelopment, 'snapshot' | 'snapshots' | 'revert' | 'rollBack' | 'reset' | 'fork'>

/**
 * The ways back to an earlier block.
 * @param requireFree throws where the chain may not go back
 * @param onRewound called when the chain is at the earlier block, before any other work
 */
export const createRewinds = (
  options: DevelopmentOptions,
  requireFree: () => void,
  onRewound: (rewound: Rewound) => void,
): Rewinds => {
  const { chain, chains, pool, miner, snapshots, headers } = options
  const moveTo = (snapshot: ChainSnapshot): Promise<void> =>
    miner.alone(async () => onRewound(await goBack(options, snapshot)))
  /** What is kept when the chain is rewound by a number of blocks. */
  const kept = () => ({ pooled: pool.list(), header: headers.current() })

  return {
    snapshot: () => {
      const { header, hash } = chain.head()
      const { number } = header
      return snapshots.add({ number, hash, edits: chains.edits.after(number), ...kept() })
    },
    snapshots: () => snapshots.list(),
    revert: async id => {
      requireFree()
      const snapshot = snapshots.take(id)
      if (snapshot === undefined) return false
      await moveTo(snapshot)
      return true
    },
    rollBack: async depth => {
      requireFree()
      const head = chain.head().header.number
      const own = head - firstBlockOf(chains.current())
      if (depth > own) throw new DevelopmentRefused(`it has ${own} blocks after its first one`)
      await moveTo({ number: head - depth, edits: undefined, ...kept() })
    },
    fork: () => chains.current().fork,
    reset: async forking => {
      requireFree()
      const next = await chainAfterReset(chains, forking)
      snapshots.clear()
      options.resetPrice()
      await miner.alone(async () => {
        chains.use(next)
        onRewound(await goBack(options, firstSnapshotOf(next)))
      })
    },
  }
}
