import { describe, expect, test } from 'bun:test'
import type { Address } from '../../../../core/bytes/bytes.ts'
import { toBareHex } from '../../../../core/bytes/hex.ts'
import { bytesToBigint } from '../../../../core/bytes/integer.ts'
import { seededRandom } from '../../../support/random.ts'
import { address, assemble, createChain } from './support.ts'

/** One step of a frame, and the frames it calls. */
type Step =
  | { readonly kind: 'store'; readonly slot: number; readonly value: number }
  | { readonly kind: 'transient'; readonly slot: number; readonly value: number }
  | { readonly kind: 'keep'; readonly transient: number; readonly slot: number }
  | { readonly kind: 'copy'; readonly from: number; readonly slot: number }
  | { readonly kind: 'log'; readonly topic: number }
  | {
      readonly kind: 'call'
      readonly how: 'CALL' | 'DELEGATECALL'
      readonly wei: number
      readonly node: Node
    }

/** A contract of its own, and how its run ends. */
type Node = {
  readonly at: Address
  readonly steps: readonly Step[]
  readonly end: 'STOP' | '0 0 REVERT' | 'INVALID'
}

const FIRST_WEI = 20n
const SLOTS = 4
const FRAMES_MAX = 12

const randomTree = (seed: number): { root: Node; nodes: readonly Node[] } => {
  const random = seededRandom(seed)
  const nodes: Node[] = []
  const step = (depth: number): Step => {
    const [slot, value] = [random.below(SLOTS), random.below(4)]
    const kind = random.below(10)
    if (kind < 3) return { kind: 'store', slot, value }
    if (kind < 5) return { kind: 'transient', slot, value }
    if (kind === 5) return { kind: 'keep', transient: value, slot }
    if (kind === 6) return { kind: 'copy', from: value, slot }
    if (kind === 7 || depth === 5 || nodes.length > FRAMES_MAX) return { kind: 'log', topic: value }
    const how = random.below(3) === 0 ? 'DELEGATECALL' : 'CALL'
    return { kind: 'call', how, wei: random.below(8), node: node(depth + 1) }
  }
  const node = (depth: number): Node => {
    const at = address(0x1000 + nodes.length)
    nodes.push({ at, steps: [], end: 'STOP' })
    const place = nodes.length - 1
    const steps = Array.from({ length: 3 + random.below(6) }, () => step(depth))
    const ends = ['STOP', 'STOP', '0 0 REVERT', 'INVALID'] as const
    const end = depth === 0 ? 'STOP' : (ends[random.below(ends.length)] as Node['end'])
    const made: Node = { at, steps, end }
    nodes[place] = made
    return made
  }
  const root = node(0)
  return { root, nodes }
}

const GAS_LIMIT = 2n ** 50n
const CALL_GAS = 2 ** 45
/** Each depth gives its calls a 32nd of what it has, so that those that burn it all leave enough for the rest. */
const gasAt = (depth: number): number => CALL_GAS / 32 ** depth

const codeOf = (node: Node, depth = 0): Uint8Array => {
  const textOf = (step: Step): string => {
    switch (step.kind) {
      case 'store':
        return `${step.value} ${step.slot} SSTORE`
      case 'transient':
        return `${step.value} ${step.slot} TSTORE`
      case 'keep':
        return `${step.transient} TLOAD ${step.slot} SSTORE`
      case 'copy':
        return `${step.from} SLOAD ${step.slot} SSTORE`
      case 'log':
        return `${step.topic} 0 0 LOG1`
      case 'call':
        break
    }
    const wei = step.how === 'CALL' ? step.wei : ''
    return `0 0 0 0 ${wei} 0x${toBareHex(step.node.at)} ${gasAt(depth)} ${step.how} POP`
  }
  return assemble(`${node.steps.map(textOf).join(' ')} ${node.end}`)
}

const codesOf = (node: Node, depth = 0): [Address, Uint8Array][] => [
  [node.at, codeOf(node, depth)],
  ...node.steps.flatMap(step => (step.kind === 'call' ? codesOf(step.node, depth + 1) : [])),
]

/** What there is, by account and slot; a frame that fails goes back to a copy. */
type Model = {
  readonly storage: Map<string, number>
  readonly transient: Map<string, number>
  readonly wei: Map<string, bigint>
  readonly logs: readonly string[]
}

const copyOf = ({ storage, transient, wei, logs }: Model): Model => ({
  storage: new Map(storage),
  transient: new Map(transient),
  wei: new Map(wei),
  logs: [...logs],
})

const runModel = (before: Model, node: Node, self: string): Model => {
  let now = copyOf(before)
  for (const step of node.steps) {
    const write = (slot: number, value: number): unknown => now.storage.set(`${self}/${slot}`, value)
    switch (step.kind) {
      case 'store':
        write(step.slot, step.value)
        break
      case 'transient':
        now.transient.set(`${self}/${step.slot}`, step.value)
        break
      case 'keep':
        write(step.slot, now.transient.get(`${self}/${step.transient}`) ?? 0)
        break
      case 'copy':
        write(step.slot, now.storage.get(`${self}/${step.from}`) ?? 0)
        break
      case 'log':
        now = { ...now, logs: [...now.logs, `${self}/${step.topic}`] }
        break
      case 'call':
        now = callModel(now, step, self)
    }
  }
  return node.end === 'STOP' ? now : before
}

const callModel = (now: Model, step: Extract<Step, { kind: 'call' }>, self: string): Model => {
  if (step.how === 'DELEGATECALL') return runModel(now, step.node, self)
  const to = toBareHex(step.node.at)
  const wei = BigInt(step.wei)
  const has = now.wei.get(self) as bigint
  if (has < wei) return now
  const sent = copyOf(now)
  sent.wei.set(self, has - wei)
  sent.wei.set(to, (sent.wei.get(to) as bigint) + wei)
  const after = runModel(sent, step.node, to)
  return after === sent ? now : after
}

describe('given trees of calls, some of which fail', () => {
  test.each([['cancun'], ['prague']] as const)(
    'when they end (%s), then failed ones leave no change',
    fork => {
      let failures = 0
      for (let seed = 1; seed <= 150; seed++) {
        const { root, nodes } = randomTree(seed)
        failures += nodes.filter(node => node.end !== 'STOP').length
        const chain = createChain(
          fork,
          codesOf(root).map(([at, code]) => [at, { code, balance: FIRST_WEI, storage: { 0: 1n, 1: 2n } }]),
        )
        const { success, logs } = chain.send({ to: root.at, gasLimit: GAS_LIMIT })
        expect([seed, success]).toEqual([seed, true])

        const first: Model = { storage: new Map(), transient: new Map(), wei: new Map(), logs: [] }
        for (const { at } of nodes) {
          first.wei.set(toBareHex(at), FIRST_WEI)
          first.storage.set(`${toBareHex(at)}/0`, 1)
          first.storage.set(`${toBareHex(at)}/1`, 2)
        }
        const last = runModel(first, root, toBareHex(root.at))
        const changes = chain.seal()
        const shown = nodes.map(({ at }) => ({
          wei: chain.world().balance(at),
          slots: Array.from({ length: SLOTS }, (_, slot) =>
            Number(
              bytesToBigint(
                chain.state.slotsOf(at).get(toBareHex(address(slot)).padStart(64, '0')) ?? new Uint8Array(0),
              ),
            ),
          ),
        }))
        const expected = nodes.map(({ at }) => ({
          wei: last.wei.get(toBareHex(at)),
          slots: Array.from(
            { length: SLOTS },
            (_, slot) => last.storage.get(`${toBareHex(at)}/${slot}`) ?? 0,
          ),
        }))
        expect({ seed, shown }).toEqual({ seed, shown: expected as typeof shown })
        expect(
          logs.map(log => `${toBareHex(log.address)}/${Number(bytesToBigint(log.topics[0] as Uint8Array))}`),
        ).toEqual([...last.logs])
        const written = changes.accounts.flatMap(change => change.slots)
        const differing = [...last.storage].filter(([key, value]) => value !== (first.storage.get(key) ?? 0))
        expect([seed, written.length]).toEqual([seed, differing.length])
      }
      expect(failures).toBeGreaterThan(100)
    },
  )
})
