import { describe, expect, test } from 'bun:test'
import type { HeadContext } from '../../../../core/qbft/input.ts'
import { createHeadReport } from '../../../../runtime/consensus/reports/headReport.ts'
import { testAddress } from '../../genesis.ts'

const OWN = testAddress(1)

const head = (number: number, validators: readonly number[]): HeadContext => ({
  number: BigInt(number),
  hash: new Uint8Array(32),
  timestamp: 0n,
  coinbase: OWN,
  validators: validators.map(testAddress),
  readyAtMs: 0,
  emptyAtMs: 0,
  periodMs: 1_000,
  spacingSeconds: 1,
  active: true,
})

/** The levels of the lines about the role of this node, while the validators change. */
const levelsOf = (changes: readonly (readonly number[])[]): readonly string[] => {
  const levels: string[] = []
  const note = (level: string) => (): void => void levels.push(level)
  const report = createHeadReport({
    address: OWN,
    connects: true,
    refusal: undefined,
    startBlock: 0n,
    log: { info: note('info'), warn: note('warn'), error: note('error') } as never,
  })
  for (const [number, validators] of changes.entries()) report(head(number, validators))
  return levels
}

describe('given a node whose role is logged', () => {
  test('when it follows and the validators change, then nothing is a warning', () => {
    expect(
      levelsOf([
        [2, 3],
        [2, 3, 4],
        [2, 3, 4],
        [3, 4],
      ]),
    ).toEqual(['info', 'info', 'info'])
  })

  test('when it was a validator and is none any more, then that is a warning', () => {
    expect(levelsOf([[1, 2], [2], [2, 3]])).toEqual(['info', 'warn', 'info'])
  })

  test('when it becomes a validator, then that is no warning', () => {
    expect(levelsOf([[2], [1, 2]])).toEqual(['info', 'info'])
  })
})
