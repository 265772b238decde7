import { describe, expect, test } from 'bun:test'
import { toHex } from '../../../core/bytes/hex.ts'
import { parseGenesis } from '../../../core/genesis/parse/parse.ts'
import {
  type QbftConsensus,
  qbftAfter,
  qbftAt,
  qbftOfBlock,
  selectionAt,
  validatorOverrideAt,
} from '../../../core/genesis/qbftSchedule.ts'
import { tallyOrigin } from '../../../core/validators/tally.ts'
import { consensusEntries } from '../../../core/genesis/comparison/consensusEntries.ts'
import { DOCUMENTATION } from './genesisFiles.ts'

const CONTRACT = `0x${'cc'.repeat(20)}`

/** Transitions at blocks 3 and 100,000, and one at second 5,000, in a file whose first fork by time is `shanghaiTime`. */
const parsed = (shanghaiTime: number | undefined, besu: boolean) =>
  parseGenesis({
    ...DOCUMENTATION,
    config: {
      ...DOCUMENTATION.config,
      londonBlock: 0,
      ...(shanghaiTime === undefined ? {} : { shanghaiTime }),
      qbft: { blockperiodseconds: 1, ...(besu ? { besuTransitionTimes: true } : {}) },
      transitions: {
        qbft: [
          { block: 3, blockreward: '5' },
          { block: 1000, blockreward: '7', blockperiodseconds: 4 },
          { block: 5000, validatorselectionmode: 'contract', validatorcontractaddress: CONTRACT },
        ],
      },
    },
  })

const consensusOf = (shanghaiTime: number | undefined, besu: boolean): QbftConsensus =>
  parsed(shanghaiTime, besu).configuration.consensus as QbftConsensus

const rewards = (consensus: QbftConsensus, ...points: readonly (readonly [bigint, bigint])[]) =>
  points.map(([number, timestamp]) => Number(qbftAt(consensus, number, timestamp).blockReward))

describe('given transitions in a file with a fork by time', () => {
  test('when the file does not follow Besu, then each block is a block number', () => {
    const consensus = consensusOf(0, false)
    expect(rewards(consensus, [2n, 9000n], [3n, 9000n], [999n, 9000n], [1000n, 9000n])).toEqual([0, 5, 5, 7])
    expect(selectionAt(consensus, 4999n, 9000n).mode).toBe('blockheader')
  })

  test('when it follows Besu and no fork is by time, then each block is a block number', () => {
    const consensus = consensusOf(undefined, true)
    expect(rewards(consensus, [2n, 9000n], [3n, 9000n])).toEqual([0, 5])
  })

  test('when it follows Besu and the fork is at 0, then each block is a time', () => {
    const consensus = consensusOf(0, true)
    expect(rewards(consensus, [1n, 2n], [1n, 3n], [1n, 999n], [1n, 1000n])).toEqual([0, 5, 5, 7])
    expect([4999n, 5000n].map(parent => selectionAt(consensus, 1n, parent).mode)).toEqual([
      'blockheader',
      'contract',
    ])
  })

  test('when it follows Besu, then the last number below the fork rules the reward from the fork on', () => {
    const consensus = consensusOf(2000, true)
    expect(rewards(consensus, [2n, 1999n], [3n, 1999n], [1n, 2000n], [4n, 2000n])).toEqual([0, 5, 7, 7])
  })

  test('when it follows Besu, then a number below the fork selects the validators by number, one above by time', () => {
    const before = consensusOf(9000, true)
    expect(selectionAt(before, 4999n, 9001n).mode).toBe('blockheader')
    expect(selectionAt(before, 5000n, 1n).mode).toBe('contract')
    const after = consensusOf(2000, true)
    expect(selectionAt(after, 6000n, 4999n).mode).toBe('blockheader')
    expect(selectionAt(after, 6n, 5000n).mode).toBe('contract')
  })

  test('when a block is checked, then its own time rules the period and its parent selects the validators', () => {
    const options = qbftOfBlock(
      consensusOf(2000, true),
      { number: 6n, timestamp: 5003n },
      { timestamp: 4999n },
    )
    expect([options.blockPeriodSeconds, options.validatorSelection.mode]).toEqual([4, 'blockheader'])
  })

  test('when the next block is made, then the longer period of both readings counts', () => {
    expect(qbftAfter(consensusOf(2000, true), { number: 10n, timestamp: 1999n }).blockPeriodSeconds).toBe(4)
    expect(qbftAfter(consensusOf(2000, true), { number: 10n, timestamp: 1990n }).blockPeriodSeconds).toBe(1)
  })

  test('when two files differ in the reading, then they differ in an entry that nodes compare', () => {
    expect(consensusEntries(parsed(0, true))['qbft.besutransitiontimes']).toBe('true')
    expect(consensusEntries(parsed(0, false))['qbft.besutransitiontimes']).toBeUndefined()
  })
})

describe('given warnings about transitions', () => {
  const warnings = (shanghaiTime: number | undefined, besu: boolean): string =>
    parsed(shanghaiTime, besu).warnings.join('\n')

  test('when Besu reads them as times, then the entries, the fork and the option are named', () => {
    expect(warnings(0, false)).toContain(
      'config.transitions.qbft[block 3] (blockreward), config.transitions.qbft[block 1000] (blockperiodseconds, blockreward), config.transitions.qbft[block 5000] (validatorselectionmode, validatorcontractaddress): Besu reads "block" as a time in seconds here, because it is not below shanghaiTime 0',
    )
    expect(warnings(0, false)).toContain('"besuTransitionTimes": true')
  })

  test('when Besu applies them early, then those that it takes by number, too, are left out', () => {
    const text = warnings(1_800_000_000, false)
    expect(text).toContain('Besu applies this from the first block of shanghaiTime 1800000000 on')
    expect(text).not.toContain('block 5000')
  })

  test('when the file follows Besu or has no fork by time, then there are none', () => {
    expect([warnings(0, true), warnings(undefined, false)]).toEqual(['', ''])
  })

  test('when the contract is kept, then its address is the one of the file', () => {
    const selection = selectionAt(consensusOf(0, true), 1n, 5000n)
    expect(selection.mode === 'contract' && toHex(selection.address)).toBe(CONTRACT)
  })
})

describe('given a file with isQuorum', () => {
  const validators = [`0x${'11'.repeat(20)}`]
  const goQuorum = (transitions: readonly object[]) =>
    parseGenesis({
      ...DOCUMENTATION,
      config: { ...DOCUMENTATION.config, isQuorum: true, transitions: { qbft: transitions } },
    })
  const file = goQuorum([
    { block: 12, validatorselectionmode: 'contract', validatorcontractaddress: CONTRACT, blockreward: '5' },
    { block: 24, validatorselectionmode: 'blockheader', validators },
  ])
  const consensus = file.configuration.consensus as QbftConsensus

  test('when a transition changes the mode, then it selects from the next block on, as in GoQuorum, and pays from its own', () => {
    const modes = [11n, 12n, 13n, 24n, 25n].map(number => selectionAt(consensus, number, 0n).mode)
    expect(modes).toEqual(['blockheader', 'blockheader', 'contract', 'contract', 'blockheader'])
    expect(rewards(consensus, [11n, 0n], [12n, 0n])).toEqual([0, 5])
    expect(
      qbftOfBlock(consensus, { number: 12n, timestamp: 0n }, { timestamp: 0n }).validatorSelection.mode,
    ).toBe('blockheader')
    expect(qbftAfter(consensus, { number: 12n, timestamp: 0n }).validatorSelection.mode).toBe('contract')
  })

  test('when a transition lists validators, then they govern from the next block on', () => {
    expect([24n, 25n, 26n].map(number => validatorOverrideAt(consensus, number)?.length)).toEqual([
      undefined,
      1,
      undefined,
    ])
    expect([23n, 24n].map(number => tallyOrigin(consensus, number).block)).toEqual([0n, 24n])
  })

  test('when the selection changes, then nodes compare isQuorum', () => {
    expect(consensusEntries(file)['isQuorum']).toBe('true')
    expect(consensusEntries(goQuorum([{ block: 3, blockreward: '1' }]))['isQuorum']).toBeUndefined()
  })
})
