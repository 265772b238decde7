import { describe, expect, test } from 'bun:test'
import type { QbftParameters } from '../../../../core/genesis/configuration.ts'
import { type QbftConsensus, qbftAt } from '../../../../core/genesis/qbftSchedule.ts'
import type { Timer } from '../../../../core/qbft/input.ts'
import { RESEND_MS } from '../../../../core/qbft/actions/rounds.ts'
import { roundTimeoutMs } from '../../../../core/qbft/actions/timeouts.ts'
import { createTimers } from '../../../../runtime/consensus/inputs/timers.ts'
import { blockTimes } from '../../../../runtime/consensus/blocks/blockTiming.ts'
import { DEFAULT_MESSAGING, DEFAULT_PARAMETERS } from '../../../support/chains/qbftDefaults.ts'
import type { Key } from '../../chain/support/keys.ts'
import { givenNode, proposedIn, receivePrepares, receiveProposal } from '../support/given.ts'
import { makeTransfer } from '../support/blocks.ts'
import { addressesOf, at, networkKeys, STRANGER } from '../support/keys.ts'
import { roundChange } from '../support/messages.ts'
import { createNode, type Node } from '../support/node.ts'
import { effectsOf, kindsIn, roundsIn, sentIn, type Step, timersIn } from '../support/step.ts'

const timeoutsIn = (step: Step): readonly number[] =>
  effectsOf(step, 'round-started').map(({ timeoutMs }) => timeoutMs)

describe('given round timeouts', () => {
  const BASE = { requestTimeoutMs: 1_000, requestTimeoutMaxMs: 60_000 }
  const given = (validators = 4, environment = {}) => {
    const network = givenNode(validators, validators - 1, { environment: { ...BASE, ...environment } })
    const first = network.node.blockTimer()
    return { ...network, first }
  }
  /** Two others request the node's round: a quorum was heard in it. */
  const hear = (node: Node, peers: readonly Key[]): Step =>
    peers.slice(0, 2).flatMap(key => {
      const { sequence, round } = node.state.height ?? {}
      // Round 0 has no round changes: those for round 1 are heard in it, and start round 1.
      return node.receive(key, roundChange(key, Math.max(round?.round ?? 0, 1), undefined, sequence))
    })
  /** The timeouts of the following rounds, after a quorum was heard in each round before. */
  const heardInVain = (node: Node, peers: readonly Key[], rounds: number): readonly number[] =>
    Array.from({ length: rounds }).flatMap(() => {
      hear(node, peers)
      return timeoutsIn(node.roundTimer())
    })

  test('when rounds with a quorum end, then they double from the base', () => {
    const { node, peers, first } = given(3)
    const steps = [first]
    // Round 0 has no round changes: those for round 1 are heard in it.
    for (const key of peers.slice(0, 2)) steps.push(node.receive(key, roundChange(key, 1)))
    const early = effectsOf(steps.flat(), 'round-started').map(({ round, timeoutMs }) => [round, timeoutMs])
    expect(early).toEqual([
      [0, 1_000],
      [1, 1_000],
    ])
    expect(heardInVain(node, peers, 3)).toEqual([2_000, 4_000, 8_000])
    expect(node.state.height?.round?.round).toBe(4)
  })

  /** The timeout after this number of failed rounds. */
  const timeout = (failedRounds: number, environment = BASE, softTimeoutMs = 9_000): number =>
    roundTimeoutMs(environment, { head: { validators: [] }, failedRounds, softTimeoutMs })

  test('when they are 1, 2, 4 and 8 seconds, then the cap limits them, unlike in Besu', () => {
    expect([0, 1, 2, 3, 1000].map(failed => timeout(failed))).toEqual([1_000, 2_000, 4_000, 8_000, 60_000])
  })

  test('when the cap is below the base, then the base counts: the network agreed on it', () => {
    const environment = { requestTimeoutMs: 90_000, requestTimeoutMaxMs: 60_000 }
    expect([0, 3, 1000].map(failed => timeout(failed, environment, 90_000))).toEqual(Array(3).fill(90_000))
  })

  // The current round and one of a proposer that is down take 2 times 4.5 s of the available 4 s and 10 s.
  test('when they grow at once, then four validators have a block within 4 base timeouts and 10 seconds', () => {
    const { node, peers } = given()
    expect(heardInVain(node, peers, 5)).toEqual([2_000, 4_000, 4_500, 4_500, 4_500])
  })

  test.each([
    [4, 1_000, 4_500],
    [7, 1_000, 3_000],
    [10, 1_000, 2_250],
    [10, 4_000, 5_250],
    [4, 10_000, 22_500],
    [20, 10_000, 10_000],
  ])(
    'when there are %d validators with a base of %d ms, then they grow to %d ms at once',
    (validators, requestTimeoutMs, ready) => {
      const { node } = given(validators, { requestTimeoutMs })
      expect(node.state.height?.softTimeoutMs).toBe(ready)
    },
  )

  test('when 24 more rounds failed, then timeouts double every two rounds, because one of two proposers is honest', () => {
    const { node, peers } = given()
    const timeouts = heardInVain(node, peers, 35)
    expect(timeouts.filter(ms => ms === 4_500).length).toBe(24)
    expect(timeouts.slice(26)).toEqual([9_000, 9_000, 18_000, 18_000, 36_000, 36_000, 60_000, 60_000, 60_000])
  })

  test('when a block needed more time, then the next height begins there', () => {
    const { node, peers, keys } = given()
    heardInVain(node, peers, 30)
    expect(node.timers.get('round')?.atMs).toBe(node.nowMs + 18_000)
    const next = (number: bigint): readonly number[] => {
      node.head({ number, coinbase: at(keys, -1).address })
      return timeoutsIn(node.blockTimer())
    }
    expect(next(1n)).toEqual([1_000])
    expect(heardInVain(node, peers, 6)).toEqual([2_000, 4_000, 8_000, 16_000, 18_000, 18_000])
    next(2n)
    // This block came in its first round.
    next(3n)
    expect(heardInVain(node, peers, 4)).toEqual([2_000, 4_000, 4_500, 4_500])
  })

  test('when no quorum is received, then the first such round ends, the next one holds', () => {
    const { node } = given()
    const left = node.roundTimer()
    expect([roundsIn(left), timeoutsIn(left), kindsIn(left)]).toEqual([[1], [1_000], ['round-change']])
    for (let expiry = 0; expiry < 5; expiry++) {
      const held = node.roundTimer()
      expect([roundsIn(held), timersIn(held)]).toEqual([[], ['round']])
      expect(sentIn(held)).toEqual(sentIn(left))
      expect(node.timers.get('round')?.atMs).toBe(node.nowMs + 1_000)
    }
  })

  test('when no quorum was received for a quarter of the cap, then they start over', () => {
    const { node, peers } = given()
    heardInVain(node, peers, 29)
    expect(node.timers.get('round')?.atMs).toBe(node.nowMs + 18_000)
    // Alone now.
    expect(roundsIn(node.roundTimer())).toEqual([])
    expect(node.timers.get('round')?.atMs).toBe(node.nowMs + 1_000)
  })

  test('when messages take longer than a timeout, then they count in a later round', () => {
    const { node, peers } = given()
    heardInVain(node, peers, 2)
    const held = [1, 2, 3, 4].map(() => {
      expect(roundsIn(node.roundTimer())).toEqual([])
      return (node.timers.get('round')?.atMs ?? Number.NaN) - node.nowMs
    })
    // Three times 4 seconds are less than 15.
    expect(held).toEqual([4_000, 4_000, 4_000, 1_000])
    hear(node, peers)
    expect(timeoutsIn(node.roundTimer())).toEqual([2_000])
  })

  test('when a timer starts again, then it replaces the running one', async () => {
    const { node } = given()
    node.roundTimer()
    expect(node.timers.get('round')?.timer).toEqual({ kind: 'round', sequence: 1n, round: 1 })
    const fired = await new Promise<Timer>(resolve => {
      const timers = createTimers(resolve)
      timers.start({ kind: 'round', sequence: 1n, round: 0 }, 0)
      timers.start({ kind: 'round', sequence: 1n, round: 1 }, 0)
    })
    expect(fired).toEqual({ kind: 'round', sequence: 1n, round: 1 })
  })

  test('when a quorum of round changes to the current round comes, then its timer starts again, and validators are in step', () => {
    const { node, peers } = given()
    node.roundTimer()
    node.nowMs += 700
    expect(timersIn(hear(node, peers))).toEqual(['round'])
    expect(node.timers.get('round')?.atMs).toBe(node.nowMs + 1_000)
  })
})

describe('given the own round change', () => {
  // Besu sends it once.
  test(`when the round stays open, then it is repeated every ${RESEND_MS} ms`, () => {
    const { node } = givenNode(4, 3)
    node.blockTimer()
    const asked = node.roundTimer()
    for (let repeat = 0; repeat < 3; repeat++) {
      expect(node.timers.get('resend')?.atMs).toBe(node.nowMs + RESEND_MS)
      node.nowMs += RESEND_MS
      const step = node.resendTimer()
      expect(sentIn(step)).toEqual(sentIn(asked))
      expect(effectsOf(step, 'record')).toEqual([])
    }
  })

  test('when it has a large block, then it is repeated after one interval for each 64 kB of it', () => {
    const { node, peers, block } = givenNode(4, 3)
    node.blockTimer()
    const transactions = Array.from({ length: 2_000 }, (_, nonce) => makeTransfer(nonce))
    const made = block(at(peers, 0), { transactions })
    receiveProposal(node, at(peers, 0), made)
    receivePrepares(node, peers, made)
    const [asked] = effectsOf(node.roundTimer(), 'broadcast')
    const bytes = asked?.message.data.length ?? 0
    expect(bytes).toBeGreaterThan(200_000)
    expect(node.timers.get('resend')?.atMs).toBe(node.nowMs + Math.ceil(bytes / 65_536) * RESEND_MS)
    node.nowMs += Math.ceil(bytes / 65_536) * RESEND_MS
    expect(effectsOf(node.resendTimer(), 'broadcast').map(({ message }) => message)).toEqual([
      asked?.message as never,
    ])
    expect(node.timers.get('resend')?.atMs).toBe(node.nowMs + Math.ceil(bytes / 65_536) * RESEND_MS)
  })

  test('when a validator connects, then it gets it with what was signed in the round', () => {
    const { node, peers } = givenNode(4, 3)
    const peer = at(peers, 0).address
    expect(node.connect(peer)).toEqual([])
    node.blockTimer()
    node.roundTimer()
    const roundOne = effectsOf(node.connect(peer), 'send')
    expect(roundOne.map(({ message, to }) => [message.code, to])).toEqual([[0x15, peer]])
    expect(node.connect(STRANGER.address)).toEqual([])
  })

  test('when others began the round, then there is none to repeat', () => {
    const { node, peers } = givenNode(4, 3, { environment: { earlyRoundChange: false } })
    node.blockTimer()
    node.roundTimer()
    for (const key of peers) node.receive(key, roundChange(key, 2))
    expect(node.state.height?.round?.round).toBe(2)
    expect(kindsIn(node.resendTimer())).toEqual([])
  })
})

test('given a validator that connects, when a round runs, then it gets the round’s proposal, prepare and commit', () => {
  const { node, peers, keys } = givenNode(2, 0)
  const made = proposedIn(node.blockTimer())
  expect(made.header.coinbase).toEqual(at(keys, 0).address)
  const sent = effectsOf(node.connect(at(peers, 0).address), 'send').map(({ message }) => message.code)
  expect(sent).toEqual([0x12, 0x13])
})

describe('given the block timer', () => {
  const PARAMETERS: QbftParameters = { ...DEFAULT_PARAMETERS, blockPeriodSeconds: 15 }
  const NOW_MS = 505_000
  /** The timers started for the block after one of 500 seconds. */
  const started = (parameters: QbftParameters, timestamp = 500n) => {
    const keys = networkKeys(4)
    const node = createNode({ keys, own: at(keys, 0), nowMs: NOW_MS })
    node.head({ timestamp, ...blockTimes(parameters, timestamp, NOW_MS) })
    return node.timers.get('block')?.atMs ?? Number.NaN
  }

  test('when the parent is of now, then it is due a period later: in 10 seconds', () => {
    expect(started(PARAMETERS) - NOW_MS).toBe(10_000)
  })

  test('when the parent is old, then it is due and fires at once', async () => {
    const atMs = started(PARAMETERS, 400n)
    expect(atMs).toBeLessThanOrEqual(NOW_MS)
    const timer: Timer = { kind: 'block', sequence: 1n }
    const fired = await new Promise<Timer>(resolve => createTimers(resolve).start(timer, atMs))
    expect(fired).toEqual(timer)
  })

  const consensusOf = (...blocks: readonly (readonly [block: bigint, seconds: number])[]): QbftConsensus => ({
    kind: 'qbft',
    parameters: PARAMETERS,
    startBlock: 0n,
    messaging: DEFAULT_MESSAGING,
    transitions: blocks.map(([block, blockPeriodSeconds]) => ({
      block,
      parameters: { ...PARAMETERS, blockPeriodSeconds },
      validators: undefined,
    })),
  })

  test('when a transition makes the period 30, then it is due in 25 seconds', () => {
    const parameters = qbftAt(consensusOf([1n, 30]), 1n, 0n)
    expect(started(parameters) - NOW_MS).toBe(25_000)
  })

  test('when periods are 10 and 20 seconds from blocks 1 and 2, then the blocks are of seconds 10 and 30', () => {
    const consensus = consensusOf([1n, 10], [2n, 20])
    const keys = networkKeys(1)
    const own = at(keys, 0)
    const node = createNode({ keys, own, nowMs: 0 })
    let timestamp = 0n
    const timestamps = [1n, 2n].map(number => {
      node.head({
        number: number - 1n,
        timestamp,
        coinbase: own.address,
        ...blockTimes(qbftAt(consensus, number, timestamp), timestamp, node.nowMs),
      })
      node.nowMs = node.timers.get('block')?.atMs ?? Number.NaN
      const [imported] = effectsOf(node.blockTimer(), 'import-block')
      timestamp = imported?.block.header.timestamp ?? 0n
      return timestamp
    })
    expect(timestamps).toEqual([10n, 30n])
  })

  test('when it fires early, then a block’s timestamp obeys the spacing rule nevertheless', () => {
    const keys = networkKeys(4)
    const node = createNode({ keys, own: at(keys, 0), nowMs: 502_000 })
    node.head({ timestamp: 500n, spacingSeconds: 3 })
    expect(proposedIn(node.blockTimer()).header.timestamp).toBe(503n)
  })
})

describe('given the proposer', () => {
  const KEYS = networkKeys(4)
  /** The round, of the first four, in which the node, validator `own`, builds a block. */
  const roundOf = (own: number, coinbase: Uint8Array, validators = addressesOf(KEYS)): number => {
    const node = createNode({ keys: KEYS, own: at(KEYS, own), build: () => undefined })
    node.head({ coinbase, validators })
    const steps = [node.blockTimer()]
    for (let round = 1; round < 4; round++)
      for (const key of KEYS) if (key !== node.key) steps.push(node.receive(key, roundChange(key, round)))
    const rounds = steps.flatMap(step => effectsOf(step, 'build-block')).map(({ round }) => round)
    expect(rounds.length).toBe(1)
    return at(rounds, 0)
  }

  test('when it is round r, then it is r + 1 after the last block’s', () => {
    expect([0, 1, 2, 3].map(own => roundOf(own, at(KEYS, 1).address))).toEqual([2, 3, 0, 1])
  })

  const before = (address: Uint8Array): Uint8Array => {
    const lower = address.slice()
    lower[19] = (lower[19] as number) - 1
    return lower
  }

  test('when the last one was voted out at the end of the order, then it is the first', () => {
    expect([0, 1, 2, 3].map(own => roundOf(own, new Uint8Array(20).fill(0xff)))).toEqual([0, 1, 2, 3])
  })

  test('when the last proposer was voted out in the middle, then it is the next greater address, then the one after', () => {
    const gone = before(at(KEYS, 2).address)
    expect([0, 1, 2, 3].map(own => roundOf(own, gone))).toEqual([2, 3, 0, 1])
  })
})
