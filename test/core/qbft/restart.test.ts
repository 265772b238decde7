import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { withRound } from '../../../core/qbft/codec/roundOfBlock.ts'
import type { Input } from '../../../core/qbft/input.ts'
import type { RestartRecord } from '../../../core/qbft/restart/restartRecord.ts'
import { givenNode, proposedIn, receivePrepares, receiveProposal } from './support/given.ts'
import { at, networkKeys } from './support/keys.ts'
import { commit, proposal, roundChangesOf } from './support/messages.ts'
import { createMortal } from './support/mortal.ts'
import { createNode, headOf } from './support/node.ts'
import { built, type Cast, createCast, fired } from './support/script.ts'
import { effectsOf, kindsIn, messageIn, roundsIn, sentIn, timersIn } from './support/step.ts'
import { createWitness, type Witness } from './support/witness.ts'

setDefaultTimeout(120_000)

const KEYS = networkKeys(4)

/** The node is the last of four; it was prepared in round 0 and has sent its commit. */
const committed = () => {
  const network = givenNode(4, 3)
  const { node, peers, block } = network
  node.blockTimer()
  const made = block(at(peers, 0))
  receiveProposal(node, at(peers, 0), made)
  expect(kindsIn(receivePrepares(node, peers, made))).toEqual(['commit'])
  return { ...network, made, record: node.record as RestartRecord }
}

/** The same validator after a restart. */
const restarted = (record: RestartRecord | undefined, own = 3) => {
  const node = createNode({ keys: KEYS, own: at(KEYS, own), record })
  return { node, first: node.head() }
}

describe('given a restarted validator', () => {
  test('when it was locked, then it asks for the next round with its certificate', () => {
    const { record, made } = committed()
    const { node } = restarted(record)
    node.blockTimer()
    const asked = messageIn(node.roundTimer(), 'round-change')
    expect(asked.signed.payload.prepared?.round).toBe(0)
    expect([asked.block, asked.prepares.length]).toEqual([made, 3])
  })

  test('when it had signed in a round, then it repeats that, and nothing else in that round', () => {
    const { record, made, peers, block } = committed()
    const again = restarted(record).node
    expect(kindsIn(receiveProposal(again, at(peers, 0), made))).toEqual(['prepare'])
    expect(kindsIn(receivePrepares(again, peers, made))).toEqual(['commit'])
    const other = block(at(peers, 0), { timestamp: 101n })
    const { node } = restarted(record)
    expect(kindsIn(receiveProposal(node, at(peers, 0), other))).toEqual([])
    expect(kindsIn(receivePrepares(node, peers, other))).toEqual([])
    // The commits of all others need no signature of this one.
    expect(
      effectsOf(
        peers.flatMap(key => node.receive(key, commit(key, other))),
        'import-block',
      ).length,
    ).toBe(1)
  })

  test('when it had asked for a round, then it begins there, asks again, and takes no part in lower ones', () => {
    const { node, peers, made, keys, block } = committed()
    node.roundTimer()
    const next = restarted(node.record)
    expect([roundsIn(next.first), kindsIn(next.first)]).toEqual([[1], ['round-change']])
    expect(messageIn(next.first, 'round-change').block).toEqual(made)
    expect(effectsOf(next.first, 'round-started').map(({ reason }) => reason)).toEqual(['restart'])
    expect(timersIn(next.first)).not.toContain('block')
    expect(
      kindsIn(receiveProposal(next.node, at(peers, 0), block(at(peers, 0), { timestamp: 101n }))),
    ).toEqual([])
    const proposer = at(keys, 1)
    const again = proposal(proposer, withRound(made, 1), {
      roundChanges: roundChangesOf(peers, 1),
      prepares: [],
    })
    // Not justified: nobody was prepared, so the proposer had to build a new block.
    expect(kindsIn(next.node.receive(proposer, again))).toEqual([])
  })

  test('when it was prepared in the round where it begins, then it has no certificate yet, and waits for the end', () => {
    const { keys, peers, block } = givenNode(4, 3)
    const cast = createCast(keys, at(keys, 3))
    const { node } = givenNode(4, 3)
    for (const input of cast.proposed(1, 0)) node.step(input)
    receivePrepares(node, peers, block(at(keys, 1), { round: 1, timestamp: 110n }))
    expect(node.record?.certificate?.round).toBe(1)
    const { node: next, first } = restarted(node.record)
    expect([roundsIn(first), kindsIn(first)]).toEqual([[1], []])
    expect(messageIn(next.roundTimer(), 'round-change').signed.payload).toMatchObject({
      round: 2,
      prepared: { round: 1 },
    })
  })

  test('when it had proposed, then it does not propose again in that round', () => {
    const { node } = givenNode(4, 0)
    proposedIn(node.blockTimer())
    const { node: next } = restarted(node.record, 0)
    expect(kindsIn(next.blockTimer())).toEqual([])
    expect(effectsOf(next.step({ kind: 'transactions-waiting' }), 'build-block')).toEqual([])
    expect(next.state.height?.round?.round).toBe(0)
  })

  test('when its height is over meanwhile, then it begins the next one with nothing signed', () => {
    const { record } = committed()
    const node = createNode({ keys: KEYS, own: at(KEYS, 3), record })
    node.head({ number: 1n, coinbase: at(KEYS, 0).address })
    expect(node.state.restart).toBeUndefined()
    expect(node.state.height?.signed).toMatchObject({ sequence: 2n, round: 0, prepared: undefined })
    expect(node.state.height?.certificate).toBeUndefined()
  })
})

describe('given a validator whose chain is behind its signatures', () => {
  /** Blocks 1 to 4 were lost, and it signed for block 5. */
  const behind = () => {
    const { record } = committed()
    const node = createNode({ keys: KEYS, own: at(KEYS, 3), record: { ...record, sequence: 5n } })
    return { node, cast: createCast(KEYS, at(KEYS, 3)) }
  }
  const everything = (cast: Cast): readonly Input[] => [
    fired('block'),
    ...cast.proposed(0, 0),
    ...cast.voted(cast.block(0, 0)),
    fired(0),
    fired('resend'),
    ...cast.changed(1),
    { kind: 'transactions-waiting' },
    { kind: 'peer-connected', peer: at(KEYS, 0).address },
  ]

  test('when it starts, then it signs nothing and runs no timer', () => {
    const { node, cast } = behind()
    node.head()
    const steps = everything(cast).flatMap(node.step)
    expect(sentIn(steps)).toEqual([])
    expect([...node.timers.keys()]).toEqual([])
  })

  test('when the sync ends or begins again, then neither', () => {
    const { node, cast } = behind()
    for (const active of [false, true, false, true]) node.head({ active })
    expect(sentIn(everything(cast).flatMap(node.step))).toEqual([])
    expect(node.state.restart?.sequence).toBe(5n)
  })

  test('when it reaches the height that it signed for, then it takes part again, bound by its signatures', () => {
    const { node } = behind()
    node.head()
    node.head({ number: 3n })
    expect([...node.timers.keys()]).toEqual([])
    node.head({ number: 4n })
    expect([...node.timers.keys()]).toEqual(['block'])
    expect(node.state.height?.certificate?.round).toBe(0)
    expect(node.state.restart).toBeUndefined()
  })
})

describe('given a validator killed after any effect and started again', () => {
  /** A height with several rounds, and everything that a validator signs in them. */
  const scriptsOf = (cast: Cast) => {
    const { block, proposed, voted, decided, changed } = cast
    const own = (round: number): readonly Input[] => [built(block(round, 0), round)]
    const first = [fired('block'), ...own(0), ...proposed(0, 0)]
    return {
      inRoundZero: [...first, ...voted(block(0, 0)), ...decided(block(0, 0))],
      unprepared: [...first, fired(0), ...changed(1), ...own(1), ...proposed(1, 0), ...voted(block(1, 0))],
      prepared: [
        ...first,
        ...voted(block(0, 0)),
        fired(0),
        ...changed(1, block(0, 0)),
        ...proposed(1, 0, block(0, 0)),
        ...voted(withRound(block(0, 0), 1)),
        ...decided(withRound(block(0, 0), 1)),
      ],
      pulledAlong: [...first, ...changed(3), ...own(3), ...proposed(3, 0), ...voted(block(3, 0))],
    }
  }

  /** Everything else that others could make it sign, round by round. */
  const temptations = ({ block, proposed, voted, changed }: Cast): readonly Input[] => [
    fired('block'),
    built(block(0, 1), 0),
    ...proposed(0, 1),
    ...voted(block(0, 1)),
    fired(0),
    ...changed(1),
    built(block(1, 1), 1),
    ...proposed(1, 1),
    ...voted(block(1, 1)),
    fired(1),
    ...changed(3),
    built(block(3, 1), 3),
    ...proposed(3, 1),
    ...voted(block(3, 1)),
    fired(3),
    fired('resend'),
    { kind: 'peer-connected', peer: at(KEYS, 0).address },
    { kind: 'peer-connected', peer: at(KEYS, 2).address },
  ]

  /** Kills it after each number of effects of each input, and returns the number of kills. */
  const killEverywhere = (own: number, script: readonly Input[], cast: Cast): number => {
    let kills = 0
    const tempting = temptations(cast)
    const witnessed: Witness[] = []
    for (let last = 0; last < script.length; last++)
      for (let effects = 0; ; effects++) {
        const witness = createWitness(at(KEYS, own), KEYS)
        const mortal = createMortal(KEYS, at(KEYS, own), witness)
        mortal.live({ kind: 'head', head: headOf(KEYS) })
        for (const input of script.slice(0, last)) mortal.live(input)
        const killed = mortal.live(script[last] as Input, effects)
        mortal.restart()
        for (const input of tempting) mortal.live(input)
        witnessed.push(witness)
        kills++
        if (killed.length < effects) break
      }
    // It continues: it still requests rounds, prepares and commits.
    for (const kind of ['round-change', 'prepare', 'commit'] as const)
      expect(Math.max(...witnessed.map(witness => witness.count(kind)))).toBeGreaterThan(0)
    return kills
  }

  const COURSES = [
    ['that proposes in round 0, in round 0', 0, 'inRoundZero'],
    ['that proposes in round 0, from there prepared to round 1', 0, 'prepared'],
    ['that proposes in round 1, from round 0 unprepared', 1, 'unprepared'],
    ['that proposes in round 1, from round 0 prepared', 1, 'prepared'],
    ['that proposes in round 3, in round 0', 3, 'inRoundZero'],
    ['that proposes in round 3, pulled along to it', 3, 'pulledAlong'],
  ] as const
  for (const [course, index, name] of COURSES)
    test(`when ${course}, then it signs no second value`, () => {
      const cast = createCast(KEYS, at(KEYS, index))
      const script = scriptsOf(cast)[name]
      expect(killEverywhere(index, script, cast)).toBeGreaterThan(script.length)
    })
})
