import type { Address } from '../../core/bytes/bytes.ts'
import { toHex } from '../../core/bytes/hex.ts'
import type { Chain } from '../../core/chain/chain.ts'
import type { BlockParticipation } from '../consensus/reports/blockParticipation.ts'
import type { Log } from '../logging/log.ts'
import type { Meters } from './registry.ts'

/** Maximum distance from the head of blocks whose seals are counted: it is exceeded only during a sync. */
const COUNTED_BLOCKS_MAX = 32n

export type FollowerSources = {
  readonly chain: Chain
  /** Undefined on a chain that is not QBFT. */
  readonly participation: BlockParticipation | undefined
  readonly log: Pick<Log, 'warn'>
}

const GAS = 'besu_blockchain_chain_head_gas_used_counter_total'
const TRANSACTIONS = 'besu_blockchain_chain_head_transaction_count_counter_total'
const PROPOSED = 'qbft_blocks_proposed_total'
const MISSED_PROPOSALS = 'qbft_missed_proposals_total'
const MISSED_SEALS = 'qbft_missed_seals_total'

const countBlock = async (meters: Meters, chain: Chain, number: bigint): Promise<void> => {
  const record = await chain.store.record(number)
  if (record === undefined) return
  meters.inc(GAS, {}, Number(record.block.header.gasUsed))
  meters.inc(TRANSACTIONS, {}, record.block.transactions.length)
}

const countParticipation = async (
  meters: Meters,
  { chain, participation }: FollowerSources,
  number: bigint,
): Promise<void> => {
  if (participation === undefined || !meters.has('QBFT')) return
  if (chain.head().header.number - number >= COUNTED_BLOCKS_MAX) return
  const validators = new Set((await chain.validators(number + 1n)).map(toHex))
  const each = (name: string, addresses: readonly Address[], by = 1): void => {
    for (const address of addresses) {
      const validator = toHex(address)
      if (validators.has(validator)) meters.inc(name, { validator }, by)
    }
  }
  for (const name of [PROPOSED, MISSED_PROPOSALS, MISSED_SEALS]) {
    // A validator that was voted out keeps no label set; one that has done nothing yet shows 0.
    await meters.prune(name, ({ validator }) => validator !== undefined && validators.has(validator))
    for (const validator of validators) meters.inc(name, { validator }, 0)
  }
  for (const block of await participation.range(number, number)) {
    each(PROPOSED, [block.proposer])
    each(MISSED_PROPOSALS, block.missedProposals)
    each(MISSED_SEALS, block.missedSeals)
  }
}

type State = { next: bigint; isStopped: boolean; running: Promise<void> | undefined }

/** Counts the contents of each new block, in order. Returns the function that stops it. */
export const startBlockFollower = (meters: Meters, sources: FollowerSources): (() => Promise<void>) => {
  const { chain, log } = sources
  const state: State = { next: chain.head().header.number + 1n, isStopped: false, running: undefined }

  const follow = async (): Promise<void> => {
    while (state.next <= chain.head().header.number && !state.isStopped) {
      await countBlock(meters, chain, state.next)
      await countParticipation(meters, sources, state.next)
      state.next++
    }
  }
  const run = (): void => {
    state.running ??= follow()
      .catch((error: unknown) => {
        log.warn('The metrics of block {number} are left out: {error}', { number: state.next, error })
        state.next++
      })
      .finally(() => {
        state.running = undefined
        if (!state.isStopped && state.next <= chain.head().header.number) run()
      })
  }
  meters.inc(GAS, {}, 0)
  meters.inc(TRANSACTIONS, {}, 0)
  const unsubscribe = chain.onHead(run)
  return async () => {
    state.isStopped = true
    unsubscribe()
    await state.running
  }
}
