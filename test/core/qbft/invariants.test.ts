import { describe, expect, test } from 'bun:test'
import { toBareHex } from '../../../core/bytes/hex.ts'
import { acceptProposal } from '../../../core/qbft/actions/accept.ts'
import { digestOf } from '../../../core/qbft/actions/evidence.ts'
import { roundTimeoutMs } from '../../../core/qbft/actions/timeouts.ts'
import { checkTransition } from '../../../core/qbft/checkTransition.ts'
import type { Effect } from '../../../core/qbft/effect.ts'
import { InvariantBroken, type InvariantName } from '../../../core/qbft/invariant.ts'
import type { HeightState, ProposalCandidate, QbftState } from '../../../core/qbft/state.ts'
import { runSteps } from '../../../core/steps.ts'
import { givenNode, receivePrepares, receiveProposal } from './support/given.ts'
import { at } from './support/keys.ts'
import { prepare, roundChange } from './support/messages.ts'
import { environmentOf } from './support/node.ts'

/** A validator that has prepared and committed the block of round 0. */
const prepared = () => {
  const { node, peers, block, validators } = givenNode(4, 3)
  node.blockTimer()
  const made = block(at(peers, 0))
  receiveProposal(node, at(peers, 0), made)
  receivePrepares(node, peers, made)
  const { height } = node.state
  if (height?.round === undefined || height.certificate === undefined) throw new Error('it is not prepared')
  const { round, certificate } = height
  return { node, state: node.state, height, round, certificate, validators, peers }
}

type Prepared = ReturnType<typeof prepared>

const brokenBy = (run: () => unknown): InvariantName | undefined => {
  try {
    run()
    return undefined
  } catch (error) {
    if (error instanceof InvariantBroken) return error.invariant
    throw error
  }
}

const withHeight = (state: QbftState, change: Partial<HeightState>): QbftState => ({
  ...state,
  height: { ...(state.height as HeightState), ...change },
})

const DIGEST = new Uint8Array(32)
const message = { code: 0x13, data: new Uint8Array(0) }

/** What a transition must not lead to from the state of `prepared`: the change, and its effects. */
const BROKEN: readonly (readonly [
  InvariantName,
  (given: Prepared) => { readonly change: Partial<HeightState>; readonly effects?: readonly Effect[] },
])[] = [
  ['heights-rise', ({ height }) => ({ change: { sequence: height.sequence - 1n } })],
  ['rounds-rise', ({ round }) => ({ change: { round: { ...round, round: -1 } } })],
  [
    'silent-when-inactive',
    ({ validators }) => ({
      change: { active: false },
      effects: [{ kind: 'broadcast', message, to: validators }],
    }),
  ],
  [
    'timer-of-height',
    () => ({
      change: {},
      effects: [{ kind: 'start-timer', timer: { kind: 'block', sequence: 9n }, atMs: 0 }],
    }),
  ],
  [
    'one-vote-each',
    ({ peers }) => ({
      change: { roundChanges: new Map([1, 2, 3, 4, 5].map(n => [`${n}`, roundChange(at(peers, 0), n)])) },
    }),
  ],
  ['signed-once', ({ height }) => ({ change: { signed: { ...height.signed, prepared: DIGEST } } })],
  ['signed-once', ({ height }) => ({ change: { signed: { ...height.signed, round: -1 } } })],
  [
    'record-before-signature',
    ({ height, validators }) => ({
      change: { signed: { ...height.signed } },
      effects: [{ kind: 'broadcast', message, to: validators }],
    }),
  ],
  ['lock-kept', () => ({ change: { certificate: undefined } })],
  [
    'lock-has-quorum',
    ({ certificate }) => ({ change: { certificate: { ...certificate, round: 1, prepares: [] } } }),
  ],
  [
    'accepted-was-verified',
    ({ round }) => ({
      change: {
        verdicts: new Map(),
        round: { ...round, proposal: { ...(round.proposal as ProposalCandidate) } },
      },
    }),
  ],
  [
    'sealed-by-quorum',
    ({ certificate, round, validators }) => ({
      change: {},
      effects: [
        {
          kind: 'import-block',
          block: certificate.block,
          hash: (round.proposal as ProposalCandidate).hash,
          sealers: [validators[0], validators[0], validators[1]],
          isRecorded: true,
        },
      ],
    }),
  ],
  [
    'sealed-was-verified',
    ({ certificate, validators }) => ({
      change: { verdicts: new Map([[toBareHex(DIGEST), { state: 'invalid', why: 'planted' }]]) },
      effects: [
        {
          kind: 'import-block',
          block: certificate.block,
          hash: DIGEST,
          sealers: validators.slice(0, 3),
          isRecorded: true,
        },
      ],
    }),
  ],
]

describe('given a validator that is prepared', () => {
  test.each(BROKEN)('when a transition breaks %s, then it ends with that name', (name, broken) => {
    const given = prepared()
    const { change, effects = [] } = broken(given)
    const after = withHeight(given.state, change)
    expect(brokenBy(() => checkTransition(given.state, after, effects))).toBe(name)
  })

  test('when nothing is broken, then the transition goes on', () => {
    const { state } = prepared()
    expect(brokenBy(() => checkTransition(state, withHeight(state, {}), []))).toBeUndefined()
  })

  test('when a proposal is accepted although the height is decided, then it ends, and no prepare stays unsent', () => {
    const { node, height, round } = prepared()
    const context = { environment: environmentOf(node.key), nowMs: 0, effects: [] }
    const proposal = round.proposal as ProposalCandidate
    const decided = { ...height, importing: proposal.hash }
    expect(brokenBy(() => runSteps(acceptProposal(context, decided, proposal)))).toBe(
      'accepted-in-open-round',
    )
    const before = { ...height, round: undefined }
    expect(brokenBy(() => runSteps(acceptProposal(context, before, proposal)))).toBe('accepted-in-open-round')
  })
})

test('given own signatures of a later round that others sent back, when a quorum prepares in this one, then they bind', () => {
  const { node, peers, block } = givenNode(4, 3)
  node.blockTimer()
  const made = block(at(peers, 0))
  receiveProposal(node, at(peers, 0), made)
  const later = block(at(peers, 2), { round: 2 })
  node.receive(node.key, prepare(node.key, later), at(peers, 1))
  receivePrepares(node, peers, made)
  expect(node.state.height?.certificate?.round).toBe(0)
  expect(node.record).toMatchObject({ round: 2, prepared: digestOf(prepare(node.key, later)) })
})

test('given a base timeout of NaN, when a round begins, then it ends with the name', () => {
  const { height } = prepared()
  const timeouts = { requestTimeoutMs: Number.NaN, requestTimeoutMaxMs: 60_000 }
  expect(brokenBy(() => roundTimeoutMs(timeouts, height))).toBe('timeout-in-bounds')
})
