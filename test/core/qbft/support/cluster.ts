import type { Address } from '../../../../core/bytes/bytes.ts'
import { toBareHex } from '../../../../core/bytes/hex.ts'
import type { Block } from '../../../../core/block/block.ts'
import { qbftBlockHash } from '../../../../core/block/codec/blockHash.ts'
import type { Effect } from '../../../../core/qbft/effect.ts'
import type { QbftEnvironment } from '../../../../core/qbft/environment.ts'
import type { HeadContext, Input } from '../../../../core/qbft/input.ts'
import type { RestartRecord } from '../../../../core/qbft/restart/restartRecord.ts'
import type { Key } from '../../chain/support/keys.ts'
import { makeBlock } from './blocks.ts'
import { addressesOf } from './keys.ts'
import { createNode, headOf, type Node, WAIT } from './node.ts'
import type { EffectOf } from './step.ts'

export type ClusterOptions = {
  readonly keys: readonly Key[]
  readonly environment?: Partial<QbftEnvironment>
  readonly periodMs?: number
  /** Delay of each message. */
  readonly latencyMs?: number
  /** Duration of building, verifying or storing a block. */
  readonly workMs?: number
}

export type Committed = { readonly block: Block; readonly atMs: number; readonly by: Address }

export type Cluster = {
  readonly nowMs: number
  /** Blocks imported by consensus, of all nodes, in order. */
  readonly committed: readonly Committed[]
  /** The chain of a node, without the genesis block. */
  chainOf(key: Key): readonly Block[]
  start(key: Key): void
  /** Ends the process; durable values remain. */
  stop(key: Key): void
  runUntil(isDone: () => boolean, limitMs: number): void
}

type Machine = { node: Node | undefined; record: RestartRecord | undefined; chain: Block[]; life: number }

/** State machines connected in memory under one clock: all messages have the same delay, and none is lost. */
export const createCluster = ({
  keys,
  environment = {},
  periodMs = 1_000,
  latencyMs = 10,
  workMs = 5,
}: ClusterOptions): Cluster => {
  const machines = new Map<string, Machine>(
    keys.map(({ address }) => [
      toBareHex(address),
      { node: undefined, record: undefined, chain: [], life: 0 },
    ]),
  )
  const committed: Committed[] = []
  const events: { readonly atMs: number; readonly run: () => void }[] = []
  let nowMs = 0

  const machineOf = (address: Address): Machine => machines.get(toBareHex(address)) as Machine
  const at = (atMs: number, run: () => void): void => {
    let index = events.length
    while (index > 0 && (events[index - 1]?.atMs ?? 0) > atMs) index--
    events.splice(index, 0, { atMs: Math.max(atMs, nowMs), run })
  }

  /** The time of the genesis block is 0. */
  const headFor = ({ chain }: Machine): HeadContext => {
    const head = chain.at(-1)?.header
    if (head === undefined) return headOf(keys, { readyAtMs: periodMs, periodMs, spacingSeconds: 0 })
    return headOf(keys, {
      number: head.number,
      hash: qbftBlockHash(head),
      timestamp: head.timestamp,
      coinbase: head.coinbase,
      readyAtMs: Number(head.timestamp) * 1000 + periodMs,
      periodMs,
      spacingSeconds: 0,
    })
  }

  const extend = (key: Key, block: Block): void => {
    const machine = machineOf(key.address)
    if (block.header.number !== BigInt(machine.chain.length) + 1n) return
    machine.chain.push(block)
    give(key, { kind: 'head', head: headFor(machine) })
  }

  const build = (key: Key, { sequence, round, timestamp }: EffectOf<'build-block'>): Block =>
    makeBlock({
      creator: key.address,
      validators: addressesOf(keys),
      number: sequence,
      round,
      timestamp,
      parentHash: headFor(machineOf(key.address)).hash,
    })

  const perform = (key: Key, effect: Effect): void => {
    const { life } = machineOf(key.address)
    const later = (ms: number, input: () => Input): void =>
      at(nowMs + ms, () => {
        if (machineOf(key.address).life === life) give(key, input())
      })
    switch (effect.kind) {
      case 'broadcast':
      case 'send': {
        const { message } = effect
        for (const to of effect.kind === 'send' ? [effect.to] : effect.to)
          at(nowMs + latencyMs, () => give(to, { kind: 'message', message, peer: key.address }))
        return
      }
      case 'start-timer':
        return at(effect.atMs, () => {
          const { node } = machineOf(key.address)
          if (node?.timers.get(effect.timer.kind) === effect && machineOf(key.address).life === life)
            give(key, { kind: 'timer', timer: effect.timer, transactionsWaiting: true })
        })
      case 'build-block': {
        const { sequence, round } = effect
        return later(workMs, () => ({ kind: 'block-built', sequence, round, block: build(key, effect) }))
      }
      case 'verify-block':
        return later(workMs, () => ({ kind: 'block-verified', hash: effect.hash, invalid: undefined }))
      case 'import-block': {
        const { block } = effect
        committed.push({ block, atMs: nowMs, by: key.address })
        at(nowMs + workMs, () => extend(key, block))
        // All are informed of a new block; a node that has it already ignores it.
        for (const other of keys)
          if (other !== key) at(nowMs + workMs + latencyMs, () => extend(other, block))
        return
      }
      default:
    }
  }

  const give = (to: Address | Key, input: Input): void => {
    const address = 'address' in to ? to.address : to
    const key = keys.find(other => toBareHex(other.address) === toBareHex(address))
    const { node } = machineOf(address)
    if (key === undefined || node === undefined) return
    node.nowMs = nowMs
    for (const effect of node.step(input)) perform(key, effect)
    machineOf(address).record = node.record
  }

  return {
    get nowMs() {
      return nowMs
    },
    committed,
    chainOf: key => machineOf(key.address).chain,
    start: key => {
      const machine = machineOf(key.address)
      const { record } = machine
      machine.node = createNode({
        keys,
        own: key,
        environment,
        record,
        verify: () => WAIT,
        build: () => WAIT,
        nowMs,
      })
      // It gets missed blocks from the others.
      for (const other of machines.values())
        for (const block of other.chain.slice(machine.chain.length)) machine.chain.push(block)
      give(key, { kind: 'head', head: headFor(machine) })
      for (const other of keys) {
        if (other === key) continue
        give(other, { kind: 'peer-connected', peer: key.address })
        if (machineOf(other.address).node !== undefined)
          give(key, { kind: 'peer-connected', peer: other.address })
      }
    },
    stop: key => {
      const machine = machineOf(key.address)
      machine.node = undefined
      machine.life++
    },
    runUntil: (isDone, limitMs) => {
      while (!isDone()) {
        const next = events.shift()
        if (next === undefined || next.atMs > limitMs) {
          nowMs = limitMs
          if (next !== undefined) events.unshift(next)
          if (isDone()) return
          throw new Error(`not done after ${limitMs} ms`)
        }
        nowMs = Math.max(nowMs, next.atMs)
        next.run()
      }
    },
  }
}
