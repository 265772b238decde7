import type { Header } from '../../core/block/header.ts'
import { gasLimitStepMax, parentGasLimit, GAS_LIMIT_MAX } from '../../core/chain/rules/header.ts'
import type { ChainConfiguration } from '../../core/genesis/configuration.ts'
import { rulesAt } from '../../core/genesis/forkSchedule.ts'
import type { NextBlock } from './nextBlock.ts'

/** Rounds that a head may be ahead of the clock: in that time the next block is not overdue either. */
const ROUNDS_AHEAD = 2

/** What the rules demand of the block after this head; undefined on a chain that is not QBFT. */
export const nextBlockAfter = (configuration: ChainConfiguration, header: Header): NextBlock | undefined => {
  const { consensus, anyHeaderValues } = configuration
  if (consensus.kind !== 'qbft') return undefined
  const number = header.number + 1n
  const reference = parentGasLimit({
    rules: rulesAt(configuration, number, header.timestamp),
    parentRules: rulesAt(configuration, header.number, header.timestamp),
    parent: { header },
  })
  return {
    number,
    headTimestamp: header.timestamp,
    aheadMsMax: ROUNDS_AHEAD * consensus.parameters.requestTimeoutSeconds * 1000,
    gasLimitMax: anyHeaderValues === true ? GAS_LIMIT_MAX : reference + gasLimitStepMax(reference),
  }
}
