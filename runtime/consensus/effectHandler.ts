import type { Address } from '../../core/bytes/bytes.ts'
import type { Effect, EffectOf } from '../../core/qbft/effect.ts'
import { POSITION_CODES, POSITIONS_FEATURE } from '../../core/qbft/codec/position.ts'
import { includesAddress } from '../../core/validators/votes.ts'
import type { Network, Peer } from '../../p2p/network.ts'
import type { Log } from '../logging/log.ts'
import type { BlockExecutor } from './blocks/blockExecutor.ts'
import { deliver } from './delivery.ts'
import type { EvidenceStore } from './record/evidenceStore.ts'
import type { RecallLog } from './record/recallLog.ts'
import type { RecordStore } from './record/recordStore.ts'
import { createRecordWriter, type RecordWriter } from './record/recordWriter.ts'
import type { DroppedMessages } from './reports/droppedMessages.ts'
import type { MessageCounters } from './reports/messageCounters.ts'
import type { RoundLog } from './reports/roundLog.ts'
import { createTasks, type Tasks } from './tasks.ts'
import type { Timers } from './inputs/timers.ts'

export type EffectHandlerOptions = {
  /** Undefined until the network listens, and for a single validator without one. */
  readonly network: () => Network | undefined
  readonly records: RecordStore
  readonly evidence: EvidenceStore
  readonly timers: Timers
  readonly blockExecutor: BlockExecutor
  readonly rounds: RoundLog
  readonly droppedMessages: DroppedMessages
  readonly messageCounters: MessageCounters
  readonly validators: () => readonly Address[]
  /** Takes the height of a peer that cannot report its position from its status. */
  readonly statusKnown: (peer: Peer) => void
  readonly recallLog: RecallLog
  readonly raisePeerHead: (peer: Address, number: bigint) => void
  readonly log: Log
}

export type EffectHandler = {
  /** Performs the effects in order. Returns undefined if it is done, otherwise a promise of the end. */
  perform(effects: readonly Effect[]): Promise<void> | undefined
  /** Why this validator sends no signatures; undefined while its record can be written. */
  readonly failure: () => string | undefined
  /** True while blocks are executed or evidence is written. */
  isWorking(): boolean
  /** Resolves when the running work is done. */
  done(): Promise<void>
}

/** Every effect but a record, which is awaited before the effects that follow. */
type PromptEffect = Exclude<Effect, { readonly kind: 'record' }>

type Handler = EffectHandlerOptions & { readonly record: RecordWriter; readonly tasks: Tasks }

/** Nodes of earlier releases cannot report their position, so the height in their status is used. */
const sendToSome = (
  { network: currentNetwork, messageCounters, statusKnown }: Handler,
  { message, to }: EffectOf<'inform'>,
): void => {
  const network = currentNetwork()
  if (network === undefined) return
  const peers = network.peers().filter(({ address }) => includesAddress(to, address))
  const isRequest = message.code === POSITION_CODES.request
  const understands = ({ status }: Peer): boolean => !isRequest || status.features.includes(POSITIONS_FEATURE)
  const receivers = peers.filter(understands).map(({ address }) => address)
  const sent = network.sendConsensus(receivers, message.code, message.data)
  messageCounters.sent(message.code, sent, message.data.length)
  for (const peer of peers) if (!understands(peer)) statusKnown(peer)
}

const sendSigned = (
  { network: currentNetwork, messageCounters, record }: Handler,
  effect: EffectOf<'broadcast' | 'send' | 'relay'>,
): void => {
  const network = currentNetwork()
  const isOwn = effect.kind !== 'relay'
  if (network !== undefined && !(isOwn && record.isPending()))
    messageCounters.sent(effect.message.code, deliver(network, effect), effect.message.data.length)
}

const noteDropped = (
  { network, droppedMessages, validators }: Handler,
  effect: EffectOf<'dropped'>,
): void => {
  const misbehaviour = droppedMessages.dropped(effect, validators())
  if (misbehaviour !== undefined) network()?.reportMisbehaviour(effect.peer, misbehaviour, effect.detail)
}

const performPrompt = (handler: Handler, effect: PromptEffect): void => {
  const { timers, blockExecutor, rounds, evidence, record, tasks } = handler
  switch (effect.kind) {
    case 'broadcast':
    case 'send':
    case 'relay':
      return sendSigned(handler, effect)
    case 'inform':
      return sendToSome(handler, effect)
    case 'recall':
      return handler.recallLog(effect)
    case 'start-timer':
      return timers.start(effect.timer, effect.atMs)
    case 'cancel-timer':
      return timers.cancel(effect.timer)
    case 'build-block':
      return tasks.run(blockExecutor.build(effect))
    case 'verify-block':
      return tasks.run(blockExecutor.verify(effect))
    case 'import-block':
      return tasks.run(blockExecutor.import(record.isPending() ? { ...effect, isRecorded: false } : effect))
    case 'peer-ahead':
      return handler.raisePeerHead(effect.peer, effect.number)
    case 'evidence':
      return tasks.run(evidence.keep(effect.evidence))
    case 'dropped':
      return noteDropped(handler, effect)
    case 'round-started':
      return rounds.started(effect)
  }
}

/** Logs a failure, so that the other effects are still performed. */
const performSafely = (handler: Handler, effect: PromptEffect): void => {
  try {
    performPrompt(handler, effect)
  } catch (error) {
    handler.log.error('The consensus effect {kind} failed: {error}', { kind: effect.kind, error })
  }
}

const performInOrder = async (handler: Handler, effects: readonly Effect[]): Promise<void> => {
  for (const effect of effects)
    if (effect.kind === 'record') await handler.record.write(effect.record)
    else performSafely(handler, effect)
}

/** Performs the effects of the consensus state machine. */
export const createEffectHandler = (options: EffectHandlerOptions): EffectHandler => {
  const record = createRecordWriter(options.records, options.log)
  const tasks = createTasks(options.log)
  const handler: Handler = { ...options, record, tasks }
  return {
    perform: effects => {
      const first = effects.findIndex(({ kind }) => kind === 'record')
      // A newer record replaces the one that could not be written.
      if (record.isPending() && first < 0) return record.retry().then(() => performInOrder(handler, effects))
      for (const effect of first < 0 ? effects : effects.slice(0, first))
        if (effect.kind !== 'record') performSafely(handler, effect)
      return first < 0 ? undefined : performInOrder(handler, effects.slice(first))
    },
    failure: record.failure,
    isWorking: tasks.isWorking,
    done: tasks.done,
  }
}
