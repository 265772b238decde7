import { describe, expect, test } from 'bun:test'
import { newRecall, SILENT_REQUESTS_MAX } from '../../../../core/qbft/restart/recall.ts'
import type { RestartRecord } from '../../../../core/qbft/restart/restartRecord.ts'
import { at, networkKeys } from '../support/keys.ts'
import { createNode } from '../support/node.ts'
import { kindsIn, roundsIn } from '../support/step.ts'

const KEYS = networkKeys(4)

const recordOf = (sequence: bigint): RestartRecord => ({
  sequence,
  round: 0,
  proposed: undefined,
  prepared: undefined,
  committed: undefined,
  certificate: undefined,
})

/** A validator that starts at the head, in round 0, which it does not propose. */
const begun = ({ record, head = 5n }: { record?: RestartRecord; head?: bigint }) => {
  const key = at(KEYS, 3)
  const node = createNode({ keys: KEYS, own: key, record, recall: newRecall(record?.sequence, false) })
  node.head({ number: head, coinbase: at(KEYS, -1).address })
  node.blockTimer()
  return { node, peers: KEYS.filter(other => other !== key) }
}

describe('given a restarted validator whose peers report their height alone', () => {
  test.each([
    ['a record of a prepare at the height', { record: { ...recordOf(6n), prepared: new Uint8Array(32) } }],
    ['no record in a new network', { head: 0n }],
  ])('when none reports or requests a round and it has %s, then it requests the next round', (_, options) => {
    const { node, peers } = begun(options)
    const sequence = node.state.height?.sequence ?? 0n
    const steps = peers.map(({ address: peer }) => node.step({ kind: 'position', peer, sequence }))
    expect(steps.flatMap(roundsIn)).toEqual([1])
  })

  test('when none reports or requests a round and it has lost its record, then it signs nothing', () => {
    const { node, peers } = begun({})
    const steps = peers.map(({ address: peer }) => node.step({ kind: 'position', peer, sequence: 6n }))
    expect(steps.flatMap(kindsIn)).toEqual([])
  })

  test('when all that lost their records report no round for two minutes, then it requests round 1', () => {
    const { node, peers } = begun({})
    for (const { address: peer } of peers) node.step({ kind: 'position', peer, sequence: 6n })
    const timer = { kind: 'recall', sequence: 6n } as const
    const rounds = Array.from({ length: SILENT_REQUESTS_MAX + 1 }, () =>
      roundsIn(node.step({ kind: 'timer', timer, transactionsWaiting: false })),
    )
    expect(rounds.slice(0, 100).flat()).toEqual([])
    expect(rounds.flat()).toEqual([1])
  })

  test('when it has signed nothing at the height and none reports a round, then it takes part in round 0', () => {
    const { node, peers } = begun({ record: recordOf(5n) })
    for (const { address: peer } of peers) node.step({ kind: 'position', peer, sequence: 6n })
    expect(node.state.height?.floor).toBe(0)
  })
})
