import type { Address } from '../../../../core/bytes/bytes.ts'
import type { Block } from '../../../../core/block/block.ts'
import { qbftBlockHash } from '../../../../core/block/codec/blockHash.ts'
import type { Effect } from '../../../../core/qbft/effect.ts'
import type { QbftEnvironment } from '../../../../core/qbft/environment.ts'
import type { HeadContext, Input, Timer } from '../../../../core/qbft/input.ts'
import { transition } from '../../../../core/qbft/machine.ts'
import type { QbftMessage, WireMessage } from '../../../../core/qbft/message.ts'
import type { Recall } from '../../../../core/qbft/restart/recall.ts'
import type { RestartRecord } from '../../../../core/qbft/restart/restartRecord.ts'
import { decodeRestartRecord, encodeRestartRecord } from '../../../../core/qbft/restart/restartRecordCodec.ts'
import { initialState, type QbftState } from '../../../../core/qbft/state.ts'
import type { Key } from '../../chain/support/keys.ts'
import { headHash, makeBlock } from './blocks.ts'
import { frozen } from './frozen.ts'
import { addressesOf, at, signWith } from './keys.ts'
import { wireOf } from './messages.ts'
import type { EffectOf, Step } from './step.ts'

/** Leaves the answer to the test. */
export const WAIT: unique symbol = Symbol('wait')

/** Why the block is invalid; undefined when it is valid. */
export type Verify = (block: Block) => string | typeof WAIT | undefined

/** The block to propose; undefined when building failed. */
export type Build = (request: EffectOf<'build-block'>) => Block | typeof WAIT | undefined

export type NodeOptions = {
  readonly keys: readonly Key[]
  /** The index of this validator's key. */
  readonly own: Key
  readonly environment?: Partial<QbftEnvironment>
  /** Stored before the restart. */
  readonly record?: RestartRecord | undefined
  /** Undefined if its record contains everything that it ever signed. */
  readonly recall?: Recall | undefined
  readonly verify?: Verify
  readonly build?: Build
  readonly nowMs?: number
}

export type Node = {
  readonly key: Key
  /** Milliseconds since 1970; the test sets it. */
  nowMs: number
  readonly state: QbftState
  /** The last durable record. */
  readonly record: RestartRecord | undefined
  /** Running timers by kind, with their times. */
  readonly timers: ReadonlyMap<Timer['kind'], EffectOf<'start-timer'>>
  readonly step: (input: Input) => Step
  /** Sets the head; by default block 0 of time 0, whose next proposer is the first validator. */
  head(change?: Partial<HeadContext>): Step
  blockTimer(options?: { readonly transactionsWaiting?: boolean }): Step
  /** By default for the round of the running timer. */
  roundTimer(round?: number): Step
  resendTimer(): Step
  /** Delivered by the author's node, or by another. */
  receive(from: Key, message: QbftMessage | WireMessage, via?: Key): Step
  verified(block: Block, invalid?: string): Step
  connect(peer: Address): Step
}

const ENVIRONMENT = {
  dialect: 'legacy',
  requestTimeoutMs: 12_000,
  requestTimeoutMaxMs: 60_000,
  earlyRoundChange: true,
  proposesRoundZero: false,
  duplicateMessagesMax: 100,
  futureMessagesMax: 1000,
  futureDistanceMax: 10,
} as const

export const environmentOf = (own: Key, change: Partial<QbftEnvironment> = {}): QbftEnvironment => ({
  ...ENVIRONMENT,
  address: own.address,
  sign: signWith(own),
  ...change,
})

/** Block 0 at time 0 with a period of three seconds; its coinbase makes validator r the proposer of round r. */
export const headOf = (keys: readonly Key[], change: Partial<HeadContext> = {}): HeadContext => {
  const number = change.number ?? 0n
  return {
    number,
    hash: headHash(number),
    timestamp: 0n,
    coinbase: keys.length === 0 ? new Uint8Array(20) : at(keys, -1).address,
    validators: addressesOf(keys),
    readyAtMs: 3_000,
    emptyAtMs: -Infinity,
    periodMs: 3_000,
    spacingSeconds: 3,
    active: true,
    ...change,
  }
}

/** One validator: the state machine, with the effects that tests need performed. */
export const createNode = ({
  keys,
  own,
  record,
  recall,
  verify,
  build,
  nowMs = 100_000,
  ...rest
}: NodeOptions): Node => {
  const environment: QbftEnvironment = frozen(environmentOf(own, rest.environment))
  const buildOwn: Build = ({ sequence, round, timestamp }) =>
    makeBlock({ creator: own.address, validators: addressesOf(keys), number: sequence, round, timestamp })
  const timers = new Map<Timer['kind'], EffectOf<'start-timer'>>()
  let state = initialState(record, recall)
  let durable = record

  const answerTo = (effect: Effect): Input | undefined => {
    if (effect.kind === 'verify-block') {
      const invalid = verify?.(effect.block)
      return invalid === WAIT ? undefined : { kind: 'block-verified', hash: effect.hash, invalid }
    }
    if (effect.kind !== 'build-block') return undefined
    const block = (build ?? buildOwn)(effect)
    const { sequence, round } = effect
    return block === WAIT ? undefined : { kind: 'block-built', sequence, round, block }
  }

  const perform = (effect: Effect): void => {
    if (effect.kind === 'record') durable = decodeRestartRecord(encodeRestartRecord(effect.record))
    if (effect.kind === 'start-timer') timers.set(effect.timer.kind, effect)
    if (effect.kind === 'cancel-timer') timers.delete(effect.timer)
  }

  const sequence = (): bigint => state.height?.sequence ?? 0n

  const fire = (timer: Timer, transactionsWaiting = false): Step => {
    timers.delete(timer.kind)
    return node.step({ kind: 'timer', timer, transactionsWaiting })
  }

  const node: Node = {
    key: own,
    nowMs,
    get state() {
      return state
    },
    get record() {
      return durable
    },
    timers,
    step: input => {
      const done: Effect[] = []
      for (const inputs: Input[] = [input]; inputs.length > 0; ) {
        const next = transition(environment, frozen(state), frozen(inputs.shift() as Input), node.nowMs)
        state = next.state
        for (const effect of next.effects) {
          perform(effect)
          done.push(effect)
          const answer = answerTo(effect)
          if (answer !== undefined) inputs.push(answer)
        }
      }
      return done
    },
    head: change => node.step({ kind: 'head', head: headOf(keys, change) }),
    blockTimer: ({ transactionsWaiting = false } = {}) =>
      fire({ kind: 'block', sequence: sequence() }, transactionsWaiting),
    roundTimer: (round = state.height?.round?.round ?? 0) =>
      fire({ kind: 'round', sequence: sequence(), round }),
    resendTimer: () => fire({ kind: 'resend', sequence: sequence() }),
    receive: (from, message, via = from) =>
      node.step({
        kind: 'message',
        message: 'code' in message ? message : wireOf(message),
        peer: via.address,
      }),
    verified: (block, invalid) =>
      node.step({ kind: 'block-verified', hash: qbftBlockHash(block.header), invalid }),
    connect: peer => node.step({ kind: 'peer-connected', peer }),
  }
  return node
}
