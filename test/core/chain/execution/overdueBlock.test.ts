import { describe, expect, test } from 'bun:test'
import { overdueSeconds } from '../../../../core/chain/execution/overdueBlock.ts'
import { parseGenesisText } from '../../../../core/genesis/parse/parse.ts'
import { genesisText } from '../../../runtime/genesis.ts'

const HEAD = { number: 7n, timestamp: 1_000n }

const consensusWith = (qbft: object) => {
  const { consensus } = parseGenesisText(genesisText({ qbft })).configuration
  if (consensus.kind !== 'qbft') throw new Error('the genesis file is of a QBFT network')
  return consensus
}

const at = (seconds: number, changes: object = {}) => ({
  sinceMs: 0,
  nowMs: seconds * 1000,
  pendingSinceMs: undefined,
  ...changes,
})

describe('given blocks each second and rounds of four seconds', () => {
  const consensus = consensusWith({ blockperiodseconds: 1, requesttimeoutseconds: 4 })

  test('when two rounds have passed since the head, then the next block is overdue', () => {
    expect(overdueSeconds(consensus, HEAD, at(1_009))).toBeUndefined()
    expect(overdueSeconds(consensus, HEAD, at(1_010))).toBe(10)
  })

  test('when the node started later, then the time before does not count', () => {
    expect(overdueSeconds(consensus, HEAD, at(1_100, { sinceMs: 1_095_000 }))).toBeUndefined()
  })
})

describe('given empty blocks each minute', () => {
  const consensus = consensusWith({ blockperiodseconds: 1, emptyblockperiodseconds: 60 })

  test('when no transaction waits, then the block may take a minute', () => {
    expect(overdueSeconds(consensus, HEAD, at(1_060))).toBeUndefined()
  })

  test('when one has just come, then the block may still come in time', () => {
    expect(overdueSeconds(consensus, HEAD, at(1_060, { pendingSinceMs: 1_059_000 }))).toBeUndefined()
  })

  test('when one waits for long, then it is overdue as usual', () => {
    expect(overdueSeconds(consensus, HEAD, at(1_060, { pendingSinceMs: 1_020_000 }))).toBe(40)
  })
})
