import type { Address } from '../../core/bytes/bytes.ts'
import type { Effect } from '../../core/qbft/effect.ts'
import type { RestartRecord } from '../../core/qbft/restart/restartRecord.ts'
import { POSITION_CODES, POSITIONS_FEATURE } from '../../core/qbft/codec/position.ts'
import { includesAddress } from '../../core/validators/votes.ts'
import type { Network, Peer } from '../../p2p/network.ts'
import type { Log } from '../logging/log.ts'
import type { BlockExecutor } from './blockExecutor.ts'
import { deliver } from './delivery.ts'
import type { DroppedMessages } from './reports/droppedMessages.ts'
import type { EvidenceStore } from './record/evidenceStore.ts'
import type { RecallLog } from './record/recallLog.ts'
import type { RecordStore } from './record/recordStore.ts'
import type { RoundLog } from './reports/roundLog.ts'
import type { Timers } from './timers.ts'
import type { MessageCounters } from './reports/messageCounters.ts'

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
  readonly heardOf: (peer: Address, number: bigint) => void
  readonly log: Log
}

export type EffectHandler = {
  /** Performs the effects in order. Returns undefined if it is done, otherwise a promise of the end. */
  perform(effects: readonly Effect[]): Promise<void> | undefined
  /** Why this validator sends no signatures; undefined while its record can be written. */
  readonly trouble: () => string | undefined
  /** True while blocks are executed or evidence is written. */
  isWorking(): boolean
  /** Resolves when the running work is done. */
  worked(): Promise<void>
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Performs the effects of the consensus state machine. */
export const createEffectHandler = (options: EffectHandlerOptions): EffectHandler => {
  const { records, evidence, timers, blockExecutor, rounds, droppedMessages, messageCounters, log } = options
  const working = new Set<Promise<void>>()
  /** A record that could not be written: until it is, no signature is sent. */
  let unwritten: RestartRecord | undefined
  let trouble: string | undefined

  const begin = (task: Promise<void>): void => {
    const settled: Promise<void> = task
      .catch((error: unknown) => log.error('A consensus task failed: {error}', { error }))
      .finally(() => working.delete(settled))
    working.add(settled)
  }

  const write = async (): Promise<void> => {
    if (unwritten === undefined) return
    try {
      await records.write(unwritten)
      unwritten = undefined
      if (trouble !== undefined)
        log.info('The record of signed messages can be written again: this validator sends its signatures')
      trouble = undefined
    } catch (error) {
      // Logged once: every further message fails in the same way.
      if (trouble === undefined)
        log.error(
          'The record of signed messages cannot be written, so this validator sends no signatures: {error}',
          { error },
        )
      trouble = `The record of signed messages cannot be written, so this validator sends no signatures: ${reasonOf(error)}`
    }
  }

  /** Nodes of earlier releases cannot report their position: the height of their status is used. */
  const inform = ({ message, to }: Extract<Effect, { readonly kind: 'inform' }>): void => {
    const network = options.network()
    if (network === undefined) return
    const peers = network.peers().filter(({ address }) => includesAddress(to, address))
    const asks = message.code === POSITION_CODES.request
    const [able, unable] = [true, false].map(is =>
      peers.filter(({ status }) => !asks || status.features.includes(POSITIONS_FEATURE) === is),
    ) as [Peer[], Peer[]]
    const sent = network.sendConsensus(
      able.map(({ address }) => address),
      message.code,
      message.data,
    )
    messageCounters.sent(sent, message.data.length)
    if (asks) for (const peer of unable) options.statusKnown(peer)
  }

  const performOne = (effect: Exclude<Effect, { readonly kind: 'record' }>): void => {
    switch (effect.kind) {
      case 'broadcast':
      case 'send':
      case 'relay': {
        const network = options.network()
        const isOwn = effect.kind !== 'relay'
        if (network !== undefined && !(isOwn && unwritten !== undefined))
          messageCounters.sent(deliver(network, effect), effect.message.data.length)
        return
      }
      case 'inform':
        return inform(effect)
      case 'recall':
        return options.recallLog(effect)
      case 'start-timer':
        rounds.timerStarted(effect.timer)
        return timers.start(effect.timer, effect.atMs)
      case 'cancel-timer':
        return timers.cancel(effect.timer)
      case 'build-block':
        return begin(blockExecutor.build(effect))
      case 'verify-block':
        return begin(blockExecutor.verify(effect))
      case 'import-block':
        return begin(
          blockExecutor.import(unwritten === undefined ? effect : { ...effect, isRecorded: false }),
        )
      case 'peer-ahead':
        return options.heardOf(effect.peer, effect.number)
      case 'evidence':
        return begin(evidence.keep(effect.evidence))
      case 'dropped': {
        const blame = droppedMessages.dropped(effect, options.validators())
        if (blame !== undefined) options.network()?.reportMisbehaviour(effect.peer, blame, effect.detail)
        return
      }
      case 'round-started':
        return rounds.started(effect)
    }
  }

  /** Logs a failure, so that the other effects are still performed. */
  const performSafely = (effect: Exclude<Effect, { readonly kind: 'record' }>): void => {
    try {
      performOne(effect)
    } catch (error) {
      log.error('The consensus effect {kind} failed: {error}', { kind: effect.kind, error })
    }
  }

  const performFrom = async (effects: readonly Effect[], first: number): Promise<void> => {
    for (const effect of effects.slice(first)) {
      if (effect.kind !== 'record') {
        performSafely(effect)
        continue
      }
      unwritten = effect.record
      await write()
    }
  }

  return {
    perform: effects => {
      const first = effects.findIndex(({ kind }) => kind === 'record')
      // A newer record replaces the one that could not be written.
      if (unwritten !== undefined && first < 0) return write().then(() => performFrom(effects, 0))
      for (const effect of first < 0 ? effects : effects.slice(0, first))
        if (effect.kind !== 'record') performSafely(effect)
      return first < 0 ? undefined : performFrom(effects, first)
    },
    trouble: () => trouble,
    isWorking: () => working.size > 0,
    worked: async () => {
      await Promise.all(working)
    },
  }
}
