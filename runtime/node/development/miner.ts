import type { Durable } from '../../../core/store/store.ts'
import type { Chain } from '../../../core/chain/chain.ts'
import { qbftBlockHash, qbftSealHash, qbftSealPreimage } from '../../../core/block/codec/blockHash.ts'
import { rememberSealSigners } from '../../../core/chain/rules/seals.ts'
import { qbftAfter, type QbftConsensus } from '../../../core/genesis/qbftSchedule.ts'
import { withRound, withSeals } from '../../../core/qbft/codec/roundOfBlock.ts'
import type { TransactionPool } from '../../../core/txpool/pool.ts'
import type { DevelopmentMiner, MiningMode } from '../../../handlers/rpc/development/development.ts'
import type { BuildBlock } from '../../consensus/blocks/blockBuilder.ts'
import { periodMs } from '../../consensus/blocks/blockTiming.ts'
import type { ValidatorSigner } from '../../signing/signer.ts'
import type { Log } from '../../logging/log.ts'
import { logBlock } from '../../logging/logBlock.ts'
import type { HeaderChoices } from './headerChoice.ts'
import type { Clock } from './clock.ts'
import { logFailures } from './failures.ts'

export type MinerOptions = {
  readonly chain: Chain
  readonly consensus: QbftConsensus
  readonly signer: Pick<ValidatorSigner, 'sign' | 'address'>
  readonly pool: TransactionPool
  readonly build: BuildBlock
  readonly clock: Clock
  readonly headers: Pick<HeaderChoices, 'blockMade'>
  /** Writes what the transactions of the block have printed. */
  readonly flushConsole: () => void
  /** How blocks are made from the start. */
  readonly mode: MiningMode
  /** Resolves when the pool has removed the transactions of the head. */
  readonly poolSettled: () => Promise<void>
  /** Whether there is a snapshot that the chain may go back to. */
  readonly hasSnapshot: () => boolean
  readonly nowMs: () => number
  readonly log: Log
}

export type Miner = DevelopmentMiner & {
  /** Runs while no block is made: work that changes the chain. */
  alone<T>(work: () => Promise<T>): Promise<T>
  start(): void
  /** Stops making blocks automatically; resolves when none is being made. */
  stop(): Promise<void>
}

/** Time until the next attempt after a failure: the disk may be full for a while. */
const RETRY_INTERVAL_MS = 1_000

/**
 * Time until blocks above a snapshot are written: a test suite makes one or a few and reverts, which then costs no write and
 * no deletion. A process that is killed loses them as a power cut would.
 */
const SETTLE_MS = 50

type MinerState = {
  readonly from: MinerOptions
  mode: MiningMode
  isRunning: boolean
  timer: ReturnType<typeof setTimeout> | undefined
  /** Set after a failure. */
  retry: ReturnType<typeof setTimeout> | undefined
  /** Runs while blocks wait to be written. */
  settling: ReturnType<typeof setTimeout> | undefined
  unsubscribe: (() => void) | undefined
  /** When the last block was made, milliseconds since 1970. */
  lastMs: number
  /** The end of the last work: blocks are made one after the other. */
  last: Promise<unknown>
}

/** Writes the blocks that wait; the store reports a failure. */
const settle = (state: MinerState): Promise<void> => {
  clearTimeout(state.settling)
  state.settling = undefined
  return state.from.chain.store.settle().catch(() => undefined)
}

const durability = (state: MinerState): Durable => {
  if (!state.from.hasSnapshot()) return 'now'
  state.settling ??= setTimeout(() => void settle(state), SETTLE_MS)
  return 'soon'
}

/** Builds, seals and commits one block. Returns the number of transactions that were tried. */
const mineBlock = async ({ from }: MinerState, durable: Durable): Promise<number> => {
  const { chain, signer, pool, build, clock, log } = from
  const number = chain.head().header.number + 1n
  const timestamp = clock.nextTimestamp()
  const built = await build(number, 0, timestamp)
  if (built === undefined) return 0
  const proposal = withRound(built.block, 0)
  const preimage = (): Uint8Array => qbftSealPreimage(proposal.header)
  const seal = await signer.sign(qbftSealHash(proposal.header), preimage)
  const { header } = withSeals(proposal, 0, [seal])
  rememberSealSigners(header, [signer.address])
  await chain.commitBuilt(built, header, durable)
  from.flushConsole()
  from.headers.blockMade()
  clock.blockMade(timestamp)
  await from.poolSettled()
  const { transactions } = built.block
  logFailures(log, built)
  logBlock(log, 'Produced', header, transactions.length, pool.size, qbftBlockHash(header))
  // A stopped transaction is tried once more, in the next block.
  return transactions.length + built.stopped.length
}

const alone = <T>(state: MinerState, work: () => Promise<T>): Promise<T> => {
  const next = state.last.then(work)
  // The caller gets the error; the next work runs nevertheless.
  state.last = next.catch(() => undefined)
  return next
}

const waitMs = ({ from, mode, lastMs }: MinerState): number => {
  const { consensus, chain, nowMs } = from
  const period = mode.kind === 'interval' ? mode.ms : periodMs(qbftAfter(consensus, chain.head().header))
  return Math.max(0, lastMs + period - nowMs())
}

/** Sets the timer of the next block, where one is due. */
const schedule = (state: MinerState): void => {
  const { mode, isRunning, from } = state
  if (!isRunning || state.timer !== undefined || mode.kind === 'manual') return
  if (mode.kind === 'automatic' && !from.pool.hasRunnable) return
  state.timer = setTimeout(() => {
    state.timer = undefined
    void alone(state, () => mineDue(state))
  }, waitMs(state))
}

const mineDue = async (state: MinerState): Promise<void> => {
  const { mode, isRunning, from } = state
  if (!isRunning || mode.kind === 'manual') return
  // A block on request may have taken what was waiting.
  if (mode.kind === 'automatic' && !from.pool.hasRunnable) return
  let tried = 0
  try {
    tried = await mineBlock(state, durability(state))
  } catch (error) {
    from.log.error('No block could be made: {error}', { error })
    state.retry = setTimeout(() => schedule(state), RETRY_INTERVAL_MS)
  }
  state.lastMs = from.nowMs()
  // What did not fit into an empty block waits for the next transaction, or for a higher base fee to fall.
  if (mode.kind === 'interval' || tried > 0) schedule(state)
}

const unschedule = (state: MinerState): void => {
  clearTimeout(state.timer)
  clearTimeout(state.retry)
  state.timer = undefined
}

const mineMany = async (
  state: MinerState,
  count: number,
  beforeBlock: (made: number) => void,
): Promise<void> => {
  // Only the last one waits for the disk, and with it those before.
  for (let made = 0; made < count; made++) {
    beforeBlock(made)
    await mineBlock(state, made === count - 1 ? durability(state) : 'soon')
  }
  state.lastMs = state.from.nowMs()
}

/** Makes the blocks of a development chain, which has one validator: this node. */
export const createMiner = (from: MinerOptions): Miner => {
  const state: MinerState = {
    from,
    mode: from.mode,
    isRunning: false,
    timer: undefined,
    retry: undefined,
    settling: undefined,
    unsubscribe: undefined,
    lastMs: 0,
    last: Promise.resolve(),
  }
  return {
    mode: () => state.mode,
    setMode: mode => {
      state.mode = mode
      unschedule(state)
      schedule(state)
      from.log.debug('Blocks are made: {mode}', { mode: mode.kind })
    },
    mineSent: () => {
      if (!state.isRunning || state.mode.kind !== 'automatic') return Promise.resolve()
      unschedule(state)
      return alone(state, () => mineDue(state))
    },
    mine: (count, beforeBlock = () => undefined) => alone(state, () => mineMany(state, count, beforeBlock)),
    alone: async work => {
      const result = await alone(state, work)
      schedule(state)
      return result
    },
    start: () => {
      state.isRunning = true
      state.unsubscribe ??= from.pool.onAdded(() => schedule(state))
      schedule(state)
    },
    stop: async () => {
      state.isRunning = false
      unschedule(state)
      state.unsubscribe?.()
      state.unsubscribe = undefined
      await state.last
      await settle(state)
    },
  }
}
