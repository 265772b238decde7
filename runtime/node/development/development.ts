import type { Chain, Rewinding } from '../../../core/chain/chain.ts'
import { RewindRefused } from '../../../core/store/rewind.ts'
import type { BlockRecord } from '../../../core/store/store.ts'
import type { PoolHead, TransactionPool } from '../../../core/txpool/pool.ts'
import {
  DevelopmentRefused,
  type MiningMode,
  REMOVED_BLOCKS_MAX,
  type Rewound,
  type RpcDevelopment,
} from '../../../handlers/rpc/development/development.ts'
import type { Submit } from '../pool/submit.ts'
import { createAccounts } from './accounts.ts'
import { type Clock, REAL_TIME } from './clock.ts'
import type { Edits } from './edits.ts'
import { type HeaderChoices, NO_CHOICE } from './headerChoice.ts'
import type { Miner } from './miner.ts'
import { type ChainSnapshot, createSnapshots } from './snapshots.ts'

export type DevelopmentOptions = {
  readonly chain: Chain
  readonly rewinding: Rewinding
  readonly edits: Edits
  readonly pool: TransactionPool
  readonly submit: Submit
  /** The pool's rules for the block after the current head. */
  readonly poolHead: () => PoolHead
  readonly miner: Miner
  readonly clock: Clock
  readonly headers: HeaderChoices
  /** How blocks are made from the start. */
  readonly mode: MiningMode
  readonly console: RpcDevelopment['console']
  readonly setLogging: (isOn: boolean) => void
  /** Why this chain cannot go back or be edited: others follow it. Undefined when it can. */
  readonly refusal: string | undefined
}

const removedBlocks = async ({ chain }: DevelopmentOptions, target: bigint): Promise<BlockRecord[]> => {
  const head = chain.head().header.number
  const records: BlockRecord[] = []
  for (let number = head; number > target && records.length < REMOVED_BLOCKS_MAX; number--) {
    const record = await chain.store.record(number)
    if (record !== undefined) records.push(record)
  }
  return records
}

/** Everything that a snapshot holds becomes current. @throws DevelopmentRefused */
const goBack = async (
  options: DevelopmentOptions,
  { number, edits, pooled, clock, header }: ChainSnapshot,
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
  await options.edits.goBack(number, edits)
  options.clock.restore(clock)
  options.headers.set(header)
  await submit(pooled.map(({ transaction, sender }) => ({ transaction, sender })))
  return { head: chain.head(), removed }
}

/** Methods of a development chain only. */
export const createDevelopment = (options: DevelopmentOptions): RpcDevelopment => {
  const { chain, edits, pool, miner, clock, headers, setLogging, refusal } = options
  const snapshots = createSnapshots()
  const listeners: ((rewound: Rewound) => void)[] = []
  const changeListeners: (() => void)[] = []

  const requireFree = (): void => {
    if (refusal !== undefined) throw new DevelopmentRefused(refusal)
  }
  const moveTo = (snapshot: ChainSnapshot): Promise<void> =>
    miner.alone(async () => {
      const rewound = await goBack(options, snapshot)
      for (const listener of listeners) listener(rewound)
      for (const listener of changeListeners) listener()
    })

  return {
    ...createAccounts(),
    miner,
    clock,
    console: options.console,
    setLogging,
    setHeader: choice => {
      requireFree()
      return miner.alone(async () => {
        await edits.noteHeaders()
        const { coinbase, next } = headers.current()
        headers.set({
          coinbase: 'coinbase' in choice ? choice.coinbase : coinbase,
          next: { ...next, ...choice.next },
        })
      })
    },
    edit: edit => {
      requireFree()
      return miner.alone(async () => {
        if (!(await edits.add(chain.head().header.number, edit)))
          throw new DevelopmentRefused('its state was edited too often; start a new chain')
        await chain.store.run(() => pool.updateSenders([edit.address], options.poolHead()))
        for (const listener of changeListeners) listener()
      })
    },
    snapshot: () => {
      const { number } = chain.head().header
      return snapshots.add({
        number,
        edits: edits.after(number),
        pooled: pool.list(),
        clock: clock.state(),
        header: headers.current(),
      })
    },
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
      if (depth > head) throw new DevelopmentRefused(`it has ${head} blocks after its first one`)
      await moveTo({
        number: head - depth,
        edits: [],
        pooled: pool.list(),
        clock: clock.state(),
        header: headers.current(),
      })
    },
    reset: async () => {
      requireFree()
      snapshots.clear()
      miner.setMode(options.mode)
      await moveTo({ number: 0n, edits: [], pooled: [], clock: REAL_TIME, header: NO_CHOICE })
    },
    onRewind: listener => {
      listeners.push(listener)
    },
    onChange: listener => {
      changeListeners.push(listener)
    },
  }
}
