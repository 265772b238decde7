import type { ChainConfiguration } from '../../../../core/genesis/configuration.ts'
import { qbftAfter } from '../../../../core/genesis/qbftSchedule.ts'
import { RpcError } from '../../errors.ts'
import { type BlockCalls, EMPTY_BLOCK, SIMULATED_BLOCKS_MAX, tooMany } from './parameters.ts'

/** A block to simulate with its number and time. */
export type PlannedBlock = BlockCalls & {
  readonly number: bigint
  /** Seconds since 1970. */
  readonly timestamp: bigint
}

/** A slot of proof of stake. */
const SLOT_SECONDS = 12n
const TIMESTAMP_MAX = 2n ** 64n - 1n

/** Seconds between a block without a requested time and its parent. */
const intervalAfter = (
  { consensus }: ChainConfiguration,
  parent: { readonly number: bigint; readonly timestamp: bigint },
): bigint =>
  consensus.kind === 'qbft'
    ? BigInt(Math.max(1, qbftAfter(consensus, parent).blockPeriodSeconds))
    : SLOT_SECONDS

/**
 * Numbers and times of the blocks after `base`: by default each follows its parent, and empty blocks fill gaps. @throws
 * RpcError where they do not ascend, or are too many
 */
export const planBlocks = (
  configuration: ChainConfiguration,
  base: { readonly number: bigint; readonly timestamp: bigint },
  blocks: readonly BlockCalls[],
): readonly PlannedBlock[] => {
  const planned: PlannedBlock[] = []
  let { number, timestamp } = base
  const add = (block: BlockCalls): void => {
    const { time } = block.blockOverrides
    const next = time ?? timestamp + intervalAfter(configuration, { number, timestamp })
    number++
    if (next <= timestamp || next > TIMESTAMP_MAX)
      throw new RpcError('SIMULATION_TIMESTAMPS', {
        detail: `block timestamps must be in order: ${next} <= ${timestamp}`,
      })
    timestamp = next
    planned.push({ ...block, number, timestamp })
  }
  for (const block of blocks) {
    const requested = block.blockOverrides.number ?? number + 1n
    if (requested <= number)
      throw new RpcError('SIMULATION_BLOCK_NUMBERS', {
        detail: `block numbers must be in order: ${requested} <= ${number}`,
      })
    if (requested - base.number > BigInt(SIMULATED_BLOCKS_MAX)) throw tooMany('blocks', SIMULATED_BLOCKS_MAX)
    for (let missing = number + 1n; missing < requested; missing++) add(EMPTY_BLOCK)
    add(block)
  }
  return planned
}
