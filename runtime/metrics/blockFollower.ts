import { toHex } from '../../core/bytes/hex.ts'
import type { Chain } from '../../core/chain/chain.ts'
import type { ChainHead } from '../../core/store/store.ts'
import type { Participation } from '../../core/validators/participation.ts'
import type { BlockParticipation } from '../consensus/reports/blockParticipation.ts'
import type { Log } from '../logging/log.ts'
import type { Meters } from './registry.ts'

/**
 * Blocks whose validators are counted at once where no scrape comes earlier. The store has their headers in memory (the last
 * 256), so that the signers of their seals need not be recovered again.
 */
const BATCH_BLOCKS = 64n

export type FollowerSources = {
  readonly chain: Chain
  /** Undefined on a chain that is not QBFT. */
  readonly participation: BlockParticipation | undefined
  readonly log: Pick<Log, 'warn'>
}

const GAS = 'besu_blockchain_chain_head_gas_used_counter_total'
const TRANSACTIONS = 'besu_blockchain_chain_head_transaction_count_counter_total'

/** The counters of a validator. */
const COUNTERS = [
  'qbft_blocks_proposed_total',
  'qbft_missed_proposals_total',
  'qbft_missed_seals_total',
] as const

type Counts = Record<(typeof COUNTERS)[number], number>

const noCounts = (): Counts => ({
  qbft_blocks_proposed_total: 0,
  qbft_missed_proposals_total: 0,
  qbft_missed_seals_total: 0,
})

type Follower = {
  readonly meters: Meters
  readonly sources: FollowerSources
  /** Since the start of the process; by the address of the validator in hex. */
  readonly counts: Map<string, Counts>
  gas: number
  transactions: number
  /** The first block whose validators are not counted. */
  next: bigint
  isStopped: boolean
  /** The work so far, one part after the other. */
  working: Promise<void>
}

const countsOf = ({ counts }: Follower, validator: string): Counts => {
  const known = counts.get(validator)
  if (known !== undefined) return known
  const created = noCounts()
  counts.set(validator, created)
  return created
}

const countParticipation = (follower: Follower, participation: Participation): void => {
  const { proposer, missedProposals, missedSeals } = participation
  countsOf(follower, toHex(proposer)).qbft_blocks_proposed_total++
  for (const validator of missedProposals) countsOf(follower, toHex(validator)).qbft_missed_proposals_total++
  for (const validator of missedSeals) countsOf(follower, toHex(validator)).qbft_missed_seals_total++
}

/** Counts the validators of the blocks up to this one that are not counted yet. */
const countUpTo = async (follower: Follower, last: bigint): Promise<void> => {
  const { participation, log } = follower.sources
  if (participation === undefined) return
  while (follower.next <= last && !follower.isStopped) {
    const from = follower.next
    const to = last - from < BATCH_BLOCKS ? last : from + BATCH_BLOCKS - 1n
    // Blocks that cannot be read are not tried again.
    follower.next = to + 1n
    try {
      for (const block of await participation.range(from, to)) countParticipation(follower, block)
    } catch (error) {
      log.warn('The metrics of the validators of blocks {from} to {to} are left out: {error}', {
        from,
        to,
        error,
      })
    }
  }
}

/** Starts to count when the work so far is done. */
const count = (follower: Follower): Promise<void> => {
  const { chain } = follower.sources
  follower.working = follower.working.then(() => countUpTo(follower, chain.head().header.number))
  return follower.working
}

/** Writes the counters of the validators of the next block. A validator that was voted out has none. */
const writeValidators = async (follower: Follower): Promise<void> => {
  const { meters, counts, sources } = follower
  const { chain } = sources
  const validators = new Set((await chain.validators(chain.head().header.number + 1n)).map(toHex))
  for (const validator of counts.keys()) if (!validators.has(validator)) counts.delete(validator)
  for (const name of COUNTERS) {
    await meters.prune(name, ({ validator }) => validator !== undefined && validators.has(validator))
    // One that has done nothing yet shows 0.
    for (const validator of validators) meters.total(name, countsOf(follower, validator)[name], { validator })
  }
}

/** Adds up the contents of a new block. Its record is in memory, because it was just committed. */
const addContents = (follower: Follower, { header }: ChainHead): void => {
  const { chain, log } = follower.sources
  follower.gas += Number(header.gasUsed)
  chain.store
    .record(header.number)
    .then(record => {
      follower.transactions += record?.block.transactions.length ?? 0
    })
    .catch((error: unknown) =>
      log.warn('The transactions of block {number} are left out of the metrics: {error}', {
        number: header.number,
        error,
      }),
    )
}

/**
 * Counts the contents of each new block, and what its validators did. Consensus waits for none of it: a new block adds two
 * numbers, and the validators of many blocks are counted at once, before a scrape. Returns the function that stops it.
 */
export const startBlockFollower = (meters: Meters, sources: FollowerSources): (() => Promise<void>) => {
  const { chain, participation } = sources
  const follower: Follower = {
    meters,
    sources,
    counts: new Map(),
    gas: 0,
    transactions: 0,
    next: chain.head().header.number + 1n,
    isStopped: false,
    working: Promise.resolve(),
  }
  const countsValidators = participation !== undefined && meters.has('QBFT')
  const countsContents = meters.has('BLOCKCHAIN')
  const unsubscribe = chain.onHead(head => {
    if (countsContents) addContents(follower, head)
    if (countsValidators && head.header.number - follower.next >= BATCH_BLOCKS) void count(follower)
  })
  meters.onCollect(async () => {
    meters.total(GAS, follower.gas)
    meters.total(TRANSACTIONS, follower.transactions)
    if (!countsValidators) return
    await count(follower)
    // Other metrics are there where a contract of validators fails.
    await writeValidators(follower).catch((error: unknown) =>
      sources.log.warn('The metrics of validators are left out: {error}', { error }),
    )
  })
  return async () => {
    follower.isStopped = true
    unsubscribe()
    await follower.working
  }
}
