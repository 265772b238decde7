import { describe, expect, test } from 'bun:test'
import type { RoundProgress } from '../../../runtime/consensus/reports/roundProgress.ts'
import { explain } from '../../../runtime/doctor/explain.ts'
import type { NextBlock } from '../../../runtime/doctor/nextBlock.ts'
import type { NodeReport, ValidatorReport } from '../../../runtime/doctor/nodeReport.ts'
import { NOW, validator, WELL } from './support/report.ts'

const round = (more: Partial<RoundProgress>): RoundProgress => ({
  round: 2,
  proposer: validator(2).address,
  lastedMs: 8_000,
  proposalMs: undefined,
  verifiedMs: undefined,
  preparedMs: undefined,
  committedMs: undefined,
  missing: [],
  ...more,
})

const stalled = (more: Partial<NodeReport>): NodeReport => ({ ...WELL, overdueSeconds: 41, ...more })

const away = (index: number, dialError?: string): ValidatorReport =>
  validator(index, { isConnected: false, lastSeenMs: NOW - 44_000, dialError })

const silent = (index: number, seconds: number): ValidatorReport =>
  validator(index, { lastSeenMs: NOW - seconds * 1000 })

/** What is wrong, the kind that is told first, and the sentence. */
const CASES: readonly (readonly [string, Partial<NodeReport>, string, string])[] = [
  [
    'two validators are silent',
    { validators: [validator(1), validator(2), silent(3, 44), silent(4, 43)] },
    'too-few-heard',
    'No block for 41 s: 2 of 4 validators are heard, 3 are needed; 0x3333…3333 silent for 44 s (last at 10.0.0.3:30303), 0x4444…4444 silent for 43 s (last at 10.0.0.4:30303); round 3, next attempt in 2 s.',
  ],
  [
    'two validators cannot be dialed',
    { validators: [validator(1), validator(2), away(3, '10.0.0.3:30303: ECONNREFUSED'), away(4)] },
    'not-connected',
    'No block for 41 s: 2 of 4 validators are connected, 3 are needed; 0x3333…3333 is not connected (10.0.0.3:30303: ECONNREFUSED), 0x4444…4444 is not connected (no address of it is known); round 3, next attempt in 2 s.',
  ],
  [
    'the disk is full',
    { failures: ['The store failed: no space left on the disk.'] },
    'disk',
    'No block for 41 s: The store failed: no space left on the disk; round 3, next attempt in 2 s.',
  ],
  [
    'the disk is slow',
    { writingSinceMs: NOW - 7_000 },
    'disk-slow',
    'No block for 41 s: a write to the disk has taken 7 s and is not done: the disk is slow, or another process holds it; round 3, next attempt in 2 s.',
  ],
  [
    'the last write was slow',
    { lastWrite: { atMs: NOW - 1_000, tookMs: 6_000 } },
    'disk-slow',
    'No block for 41 s: the last write to the disk took 6 s: the disk is slow, or another process holds it; round 3, next attempt in 2 s.',
  ],
  [
    'a clock of another is wrong',
    { validators: [validator(1), validator(2, { clockOffsetMs: 9_000 }), validator(3), validator(4)] },
    'clocks',
    "No block for 41 s: the clock of 0x2222…2222 is 9 s ahead of this node's; synchronize the clocks (NTP); round 3, next attempt in 2 s.",
  ],
  [
    'the own clock is wrong',
    { validators: [1, 2, 3, 4].map(index => validator(index, { clockOffsetMs: -9_000 })) },
    'clocks',
    'No block for 41 s: the clock of this machine is wrong: 3 of 3 connected validators differ from it, 0x2222…2222 is 9 s behind it; synchronize the clocks (NTP); round 3, next attempt in 2 s.',
  ],
  [
    'a validator has another transition',
    { validators: [validator(1), validator(2, { differing: ['transitions.qbft[block 7]'] }), validator(3)] },
    'genesis',
    'No block for 41 s: 0x2222…2222 runs with another genesis file (transitions.qbft[block 7]); all nodes need the same one; round 3, next attempt in 2 s.',
  ],
  [
    'validators of another chain were refused',
    { validators: [validator(1), { ...away(2), differing: ['alloc'] }, away(3), away(4)] },
    'genesis',
    'No block for 41 s: 0x2222…2222 runs with another genesis file (alloc); all nodes need the same one; round 3, next attempt in 2 s.',
  ],
  [
    'the only validator cannot explain it',
    { validators: [validator(1)], quorum: 1 },
    'unknown',
    'No block for 41 s: no round of the block has started, and nothing that this node sees explains it: see the errors in its log; round 3, next attempt in 2 s.',
  ],
  [
    'proposals are rejected',
    { rejectedProposal: { round: 2, proposer: validator(2).address, rule: 'invalid-block: state-root' } },
    'proposal-rejected',
    'No block for 41 s: the proposal of 0x2222…2222 in round 2 was rejected (invalid-block: state-root); round 3, next attempt in 2 s.',
  ],
  [
    'execution takes too long',
    { unverifiedRound: 2 },
    'execution-over-bound',
    'No block for 41 s: the proposal of round 2 takes longer to execute than its round lasts: this machine is too slow for the blocks of the chain, or too busy; round 3, next attempt in 2 s.',
  ],
  [
    'the contract of the validators does not answer',
    { validatorsFailure: 'the validators of block 13 cannot be read: Failed.', validators: [] },
    'no-validators',
    'No block for 41 s: the validators of block 13 cannot be read: Failed; all nodes need a genesis file with a transition at that block to a contract whose getValidators() works, or to a list; round 3, next attempt in 2 s.',
  ],
  [
    'it cannot build its block',
    { unbuiltRound: 2 },
    'not-built',
    'No block for 41 s: this validator could not build its block in round 2: see the errors in its log; round 3, next attempt in 2 s.',
  ],
  [
    'it only follows',
    {
      isValidator: false,
      round: undefined,
      validators: [2, 3, 4].map(index => validator(index)),
    },
    'not-a-validator',
    'No block for 41 s: this node is not one of the 3 validators and waits for their blocks, and none of its 3 peers has a later one; it is connected to 3 of them, and a block needs 3: ask a validator.',
  ],
  [
    'it only follows, and two validators cannot be dialed',
    {
      isValidator: false,
      round: undefined,
      validators: [validator(2), validator(3), away(4, '10.0.0.4:30303: ECONNREFUSED'), away(5)],
    },
    'not-a-validator',
    'No block for 41 s: this node is not one of the 4 validators and waits for their blocks, and none of its 3 peers has a later one; it is connected to 2 of them, and a block needs 3; 0x4444…4444 is not connected (10.0.0.4:30303: ECONNREFUSED), 0x5555…5555 is not connected (no address of it is known); a validator knows more.',
  ],
  [
    'it is kept from taking part',
    { refusal: 'its storage may lose blocks' },
    'not-a-validator',
    'No block for 41 s: this node takes no part: its storage may lose blocks; round 3, next attempt in 2 s.',
  ],
  [
    'it is behind',
    { syncing: { currentBlock: 12n, highestBlock: 340n } },
    'behind',
    'No block for 41 s: this node is behind, at block 12 of 340, and fetches what it lacks; round 3, next attempt in 2 s.',
  ],
  [
    'no transaction can be in a block',
    {
      pool: {
        size: 3,
        ready: 2,
        queued: 1,
        hasRunnable: false,
        reasons: new Map([['its gas price is too low', 2]]),
        refused: new Map([['Gas price below configured minimum gas price', 5]]),
      },
    },
    'pool',
    'No block for 41 s: none of the 3 transactions in the pool can be in a block (2: its gas price is too low, refused in the last minutes 5: Gas price below configured minimum gas price); round 3, next attempt in 2 s.',
  ],
  [
    'it has restarted and waits for positions',
    { recall: { reported: 1, needed: 2 } },
    'not-signing',
    'No block for 41 s: this validator has started and signs nothing yet: 1 of 3 other validators have reported their height and round, at least 2 are needed, and it must catch up with them; round 3, next attempt in 2 s.',
  ],
  [
    'no proposal arrives in time',
    { lastRound: round({}) },
    'rounds-fail',
    'No block for 41 s: rounds end without a block although 4 of 4 validators are heard; round 2 took 8.0 s: no proposal of 0x2222…2222 arrived; compare the load of the machines (here 14.3 on 2 processors) and the logs of the validators; round 3, next attempt in 2 s.',
  ],
  [
    'the own proposal takes too long to verify',
    { lastRound: round({ proposer: validator(1).address, proposalMs: 6_100 }) },
    'rounds-fail',
    'No block for 41 s: rounds end without a block although 4 of 4 validators are heard; round 2 took 8.0 s: this validator had built its block after 6.1 s, and it was not verified in that time; compare the load of the machines (here 14.3 on 2 processors) and the logs of the validators; round 3, next attempt in 2 s.',
  ],
  [
    'prepares of two validators are late',
    {
      lastRound: round({
        proposalMs: 6_100,
        verifiedMs: 7_490,
        missing: [validator(3).address, validator(4).address],
      }),
    },
    'rounds-fail',
    'No block for 41 s: rounds end without a block although 4 of 4 validators are heard; round 2 took 8.0 s: the proposal of 0x2222…2222 arrived after 6.1 s, it was verified after 7.5 s, and the prepares of 0x3333…3333, 0x4444…4444 did not arrive; compare the load of the machines (here 14.3 on 2 processors) and the logs of the validators; round 3, next attempt in 2 s.',
  ],
  [
    'commits are late and the pool has transactions that no block takes',
    {
      lastRound: round({
        proposalMs: 10,
        verifiedMs: 20,
        preparedMs: 7_000,
        missing: [validator(3).address],
      }),
      pool: { ...WELL.pool, size: 1 },
    },
    'rounds-fail',
    'No block for 41 s: rounds end without a block although 4 of 4 validators are heard; round 2 took 8.0 s: the proposal of 0x2222…2222 arrived after 0.0 s, it was verified after 0.0 s, a quorum of prepares was there after 7.0 s, and the commits of 0x3333…3333 did not arrive; compare the load of the machines (here 14.3 on 2 processors) and the logs of the validators; round 3, next attempt in 2 s.',
  ],
  [
    'rounds of the only validator end',
    { validators: [validator(1)], quorum: 1, lastRound: round({ proposer: validator(1).address }) },
    'rounds-fail',
    'No block for 41 s: rounds end without a block; round 2 took 8.0 s: this validator built no block in that time; see the errors in its log, and the load of this machine (here 14.3 on 2 processors); round 3, next attempt in 2 s.',
  ],
  [
    'nothing explains it',
    {},
    'unknown',
    'No block for 41 s: no round of the block has started, and nothing that this node sees explains it: compare the logs of all validators; round 3, next attempt in 2 s.',
  ],
]

describe('given a node without a block for 41 s', () => {
  for (const [what, report, kind, sentence] of CASES)
    test(`when ${what}, then the sentence says so`, () => {
      const diagnosis = explain(stalled(report))
      expect(diagnosis.isStalled).toBe(true)
      expect(diagnosis.kind as string).toBe(kind)
      expect(diagnosis.sentence).toBe(sentence)
    })
})

describe('given a node whose next block may still come in time', () => {
  test('when nothing is wrong, then nothing is said', () => {
    expect(explain(WELL)).toEqual({ isStalled: false, kind: undefined, sentence: undefined, causes: [] })
  })

  test('when it waits for its first messages, then silence is no cause', () => {
    expect(
      explain({ ...WELL, validators: [validator(1), silent(2, 60), silent(3, 60)] }).kind,
    ).toBeUndefined()
  })

  test('when the disk is full, then that is said all the same', () => {
    const { isStalled, sentence } = explain({ ...WELL, failures: ['The disk is full.'] })
    expect(isStalled).toBe(false)
    expect(sentence).toBe('The disk is full.')
  })
})

const NEXT: NextBlock = {
  number: 13n,
  headTimestamp: 900n,
  aheadMsMax: 8_000,
  gasLimitMax: 30_000_000n,
}

/** What the next block demands, the kind, and the beginning of the sentence. */
const OBSTACLES: readonly (readonly [string, Partial<NextBlock>, string, string])[] = [
  [
    'the head is an hour ahead',
    { headTimestamp: 4_600n },
    'head-in-future',
    'No block can be decided: the timestamp of block 12 (4600) is 3600 s later',
  ],
  [
    'the gas limit cannot reach the least one',
    { gasLimitMax: 3n },
    'gas-limit',
    'No block can be decided: the gasLimit of block 12 allows the next one at most 3',
  ],
]

describe('given rules that allow no next block, and none is overdue', () => {
  test.each(OBSTACLES)('when %s, then it stands still', (_, more, kind, beginning) => {
    const { sentence, ...found } = explain({ ...WELL, nextBlock: { ...NEXT, ...more } })
    expect([found.isStalled, found.kind as string]).toEqual([true, kind])
    expect(sentence).toStartWith(beginning)
  })

  test('when no validators can decide it, then it stands still', () => {
    const { isStalled, sentence } = explain({ ...WELL, validatorsFailure: 'block 13 has no validators' })
    expect([isStalled, sentence?.startsWith('No block can be decided: block 13 has no')]).toEqual([
      true,
      true,
    ])
  })

  test('when the head is ahead by less than rounds last, or this node is behind, then it does not', () => {
    expect(explain({ ...WELL, nextBlock: { ...NEXT, headTimestamp: 1_007n } }).isStalled).toBe(false)
    const syncing = { currentBlock: 12n, highestBlock: 340n }
    const ahead = { ...NEXT, headTimestamp: 4_600n }
    expect(explain({ ...WELL, syncing, nextBlock: ahead }).isStalled).toBe(false)
  })
})

test('given a node that is behind and knows of another genesis file, when it is reported, then the file comes first', () => {
  const { kind } = explain({
    ...WELL,
    syncing: { currentBlock: 12n, highestBlock: 340n },
    validators: [validator(1), validator(2, { differing: ['shanghaiTime'] })],
  })
  expect(kind).toBe('genesis')
})

describe('given a genesis file that differs elsewhere and stops no block', () => {
  test('when the node is no validator and a validator is away, then the validator comes first', () => {
    const { causes } = explain(
      stalled({
        validators: [validator(1), away(2)],
        quorum: 2,
        differences: [
          { peer: '0x99 (127.0.0.1:51696)', entries: ['gasLimit'], address: `0x${'9'.repeat(40)}` },
        ],
      }),
    )
    expect(causes.map(({ kind }) => kind)).toEqual(['not-connected', 'too-few-heard', 'genesis'])
    expect(causes.at(-1)?.text).toBe(
      '0x9999…9999, no validator (127.0.0.1:51696), has another genesis file (gasLimit); all nodes need the same one',
    )
  })

  test('when a later transition of a validator differs, then silent validators come first', () => {
    const differing = ['transitions.qbft[block 500].blockreward']
    const { causes } = explain(
      stalled({ validators: [validator(1), validator(2, { differing }), silent(3, 44), silent(4, 43)] }),
    )
    expect(causes.map(({ kind }) => kind)).toEqual(['too-few-heard', 'genesis'])
    expect(causes.at(-1)?.text).toContain('which does not act yet')
  })

  const FORKS: readonly (readonly [string, readonly string[], true | undefined])[] = [
    ['whose time has not come', ['cancunTime'], true],
    ['whose time is past', [], undefined],
  ]
  test.each(FORKS)('when a fork differs %s, then its entries act, or not yet', (_, laterForks, isLater) => {
    const differing = ['blobSchedule.cancun.max', 'cancunTime']
    const { causes } = explain({
      ...WELL,
      validators: [validator(1), validator(2, { differing, laterForks })],
    })
    expect(causes.map(cause => cause.isLater)).toEqual([isLater])
    expect(causes[0]?.text.includes('does not act yet')).toBe(isLater === true)
  })
})

test('given a hundred silent validators, when they are reported, then the sentence stays short', () => {
  const validators = [validator(1), ...Array.from({ length: 99 }, () => silent(2, 60))]
  const { sentence } = explain(stalled({ validators, quorum: 67 }))
  expect(sentence).toContain('and 96 more')
})
