import { expect, test } from 'bun:test'
import { createKeyInUse } from '../../../runtime/consensus/keyInUse.ts'
import { testAddress } from '../genesis.ts'

const REASON = 'refused: another node with its key is connected from 10.0.0.7:30303'
const [ONE, TWO, THREE, OTHER] = [1, 2, 3, 9].map(testAddress) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
]

const create = ({ own = 4, peerCount = 1 } = {}) => {
  const lines: string[] = []
  const clock = { ms: 1_000_000 }
  const note = (text: string, values?: unknown): void =>
    void lines.push(`${text} ${JSON.stringify(values ?? {})}`)
  const log = { debug: note, info: note, warn: note, error: note }
  const watch = createKeyInUse({
    ownAddress: testAddress(own),
    peerCount: () => peerCount,
    validators: () => [ONE, TWO, THREE, testAddress(4)],
    log: log as never,
    nowMs: () => clock.ms,
  })
  const changes: boolean[] = []
  watch.onChange(() => changes.push(watch.isSeen()))
  const refuseFor = (ms: number, ...addresses: readonly Uint8Array[]): void => {
    for (const endMs = clock.ms + ms; clock.ms < endMs; clock.ms += 4_000)
      for (const address of addresses) watch.refused(address, REASON)
  }
  return { watch, lines, clock, changes, refuseFor }
}

test('given four validators, when one refuses this node because its key is in use, then it signs on; when a second one does, then it does not', () => {
  const { watch, changes } = create()
  watch.refused(ONE, REASON)
  watch.refused(OTHER, REASON)
  expect(watch.isSeen()).toBe(false)
  watch.refused(TWO, REASON)
  expect(watch.isSeen()).toBe(true)
  expect(changes).toEqual([true])
  watch.stop()
})

test('given another node that was seen, when all but one accept this node, then it signs nothing yet; when all do, then it signs', () => {
  const { watch, clock, changes } = create()
  for (const address of [ONE, TWO, THREE]) watch.refused(address, REASON)
  watch.accepted(ONE)
  watch.accepted(TWO)
  clock.ms += 2_000
  watch.refused(THREE, REASON)
  expect(watch.isSeen()).toBe(true)
  watch.accepted(THREE)
  clock.ms += 2_000
  watch.refused(OTHER, REASON)
  expect(watch.isSeen()).toBe(false)
  expect(changes).toEqual([true, false])
  watch.stop()
})

test('given a node that started again, when it is refused for seconds because of its own last connection, then no error is logged; when for longer, then one is', () => {
  const { watch, lines, refuseFor } = create()
  refuseFor(32_000, ONE, TWO)
  expect(lines).toEqual([])
  expect(watch.sentence()).toBeUndefined()
  refuseFor(16_000, ONE, TWO)
  expect(lines).toHaveLength(1)
  expect(watch.sentence()).toContain('so 2 peers refuse this one')
  expect(watch.sentence()).toContain(REASON)
  watch.stop()
})

test('given peers that dial this node, when each accepts its status before it refuses it, then an error is logged', () => {
  const { watch, lines, clock } = create()
  for (let attempt = 0; attempt < 10; attempt++) {
    for (const address of [ONE, TWO]) {
      watch.accepted(address)
      watch.refused(address, REASON)
    }
    clock.ms += 4_000
  }
  expect(watch.isSeen()).toBe(true)
  expect(lines).toHaveLength(1)
  watch.stop()
})

test('given refusals, when none follows, then the other node has ended', () => {
  const { watch, clock } = create()
  for (const address of [ONE, TWO]) watch.refused(address, REASON)
  clock.ms += 13_000
  watch.refused(OTHER, REASON)
  expect(watch.isSeen()).toBe(false)
  watch.stop()
})

test('given a node that its peers refused after a restart, when one validator alone goes on to refuse it, then it signs after a while', () => {
  const { watch, clock, changes, refuseFor } = create()
  refuseFor(12_000, ONE, TWO)
  for (const address of [TWO, THREE]) watch.accepted(address)
  refuseFor(12_000, ONE)
  expect(watch.isSeen()).toBe(true)
  refuseFor(36_000, ONE)
  expect([watch.isSeen(), watch.sentence()]).toEqual([false, undefined])
  expect(changes).toEqual([true, false])
  clock.ms += 4_000
  watch.refused(TWO, REASON)
  watch.refused(ONE, REASON)
  expect(watch.isSeen()).toBe(true)
  watch.stop()
})

test('given a validator, when one other and peers that are none refuse it for long, then no error is logged, and nothing is said', () => {
  const { watch, lines, refuseFor } = create()
  refuseFor(60_000, ONE, OTHER, testAddress(10), testAddress(11))
  expect([watch.isSeen(), watch.sentence(), lines]).toEqual([false, undefined, []])
  watch.stop()
})

test('given a node that is no validator, when peers that are none refuse it, then it says so while no other peer is connected', () => {
  const alone = create({ own: 8, peerCount: 0 })
  const connected = create({ own: 8 })
  for (const { refuseFor } of [alone, connected]) refuseFor(60_000, OTHER)
  expect(alone.watch.sentence()).toContain(REASON)
  expect(connected.watch.sentence()).toBeUndefined()
  for (const { watch } of [alone, connected]) watch.stop()
})

test('given more refusals of other peers than are remembered, when validators refuse, then theirs count', () => {
  const { watch } = create()
  watch.refused(ONE, REASON)
  const strangers = Array.from({ length: 600 }, (_, index) =>
    new Uint8Array(20)
      .fill(0xee)
      .with(0, index >> 8)
      .with(1, index & 0xff),
  )
  for (const address of strangers) watch.refused(address, REASON)
  watch.refused(TWO, REASON)
  expect(watch.isSeen()).toBe(true)
  watch.stop()
})
