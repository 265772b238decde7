import type { Address } from '../../core/bytes/bytes.ts'
import type { Effect } from '../../core/qbft/effect.ts'
import type { RestartRecord } from '../../core/qbft/restartRecord.ts'
import { POSITION_CODES, POSITIONS_FEATURE } from '../../core/qbft/codec/position.ts'
import { includesAddress } from '../../core/validators/votes.ts'
import type { Network, Peer } from '../../p2p/network.ts'
import type { Log } from '../logging/log.ts'
import type { BlockWork } from './blockExecutor.ts'
import { deliver } from './delivery.ts'
import type { Drops } from './droppedMessages.ts'
import type { EvidenceStore } from './evidenceStore.ts'
import type { RecallLog } from './recallLog.ts'
import type { RecordStore } from './recordStore.ts'
import type { RoundLog } from './roundLog.ts'
import type { Timers } from './timers.ts'
import type { Traffic } from './messageCounters.ts'

export type PerformerOptions = {
  /** Undefined before it stands, and where a lone validator needs none. */
  readonly network: () => Network | undefined
  readonly records: RecordStore
  readonly evidence: EvidenceStore
  readonly timers: Timers
  readonly work: BlockWork
  readonly rounds: RoundLog
  readonly drops: Drops
  readonly traffic: Traffic
  readonly validators: () => readonly Address[]
  /** How long the chain of a peer is that cannot be asked where it is. */
  readonly statusKnown: (peer: Peer) => void
  readonly recallLog: RecallLog
  readonly heardOf: (peer: Address, number: bigint) => void
  readonly log: Log
}

export type Performer = {
  /** Performs the effects in order; undefined when that is done already, else it is when the promise resolves. */
  perform(effects: readonly Effect[]): Promise<void> | undefined
  /** Why nothing that this validator signs leaves it; undefined while its records can be written. */
  readonly trouble: () => string | undefined
  /** True while blocks are executed or evidence is written. */
  isWorking(): boolean
  /** Resolves when the work under way is done. */
  worked(): Promise<void>
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Turns each effect of the machine into what it means on this machine. */
export const createPerformer = (options: PerformerOptions): Performer => {
  const { records, evidence, timers, work, rounds, drops, traffic, log } = options
  const working = new Set<Promise<void>>()
  /** A record that could not be written: until it is, no signature leaves. */
  let unwritten: RestartRecord | undefined
  let trouble: string | undefined

  const begin = (task: Promise<void>): void => {
    const settled: Promise<void> = task
      .catch((error: unknown) => log.error('Work of the consensus failed: {error}', { error }))
      .finally(() => working.delete(settled))
    working.add(settled)
  }

  const write = async (): Promise<void> => {
    if (unwritten === undefined) return
    try {
      await records.write(unwritten)
      unwritten = undefined
      if (trouble !== undefined) log.info('What this validator signs is recorded again: it is sent')
      trouble = undefined
    } catch (error) {
      // Once: each message that this validator would sign fails alike.
      if (trouble === undefined)
        log.error('What this validator signed could not be recorded, so it is not sent: {error}', { error })
      trouble = `What this validator signed could not be recorded, so it is not sent: ${reasonOf(error)}`
    }
  }

  /** Nodes of earlier releases are not asked where they are: their status says how long their chain is. */
  const tell = ({ message, to }: Extract<Effect, { readonly kind: 'tell' }>): void => {
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
    traffic.sent(sent, message.data.length)
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
          traffic.sent(deliver(network, effect), effect.message.data.length)
        return
      }
      case 'tell':
        return tell(effect)
      case 'recall':
        return options.recallLog(effect)
      case 'start-timer':
        rounds.timerStarted(effect.timer)
        return timers.start(effect.timer, effect.atMs)
      case 'cancel-timer':
        return timers.cancel(effect.timer)
      case 'build-block':
        return begin(work.build(effect))
      case 'verify-block':
        return begin(work.verify(effect))
      case 'import-block':
        return begin(work.import(unwritten === undefined ? effect : { ...effect, isRecorded: false }))
      case 'peer-ahead':
        return options.heardOf(effect.peer, effect.number)
      case 'evidence':
        return begin(evidence.keep(effect.evidence))
      case 'dropped': {
        const blame = drops.dropped(effect, options.validators())
        if (blame !== undefined) options.network()?.reportMisbehaviour(effect.peer, blame, effect.detail)
        return
      }
      case 'round-started':
        return rounds.started(effect)
    }
  }

  /** One that fails takes none of the others with it. */
  const performSafely = (effect: Exclude<Effect, { readonly kind: 'record' }>): void => {
    try {
      performOne(effect)
    } catch (error) {
      log.error('The effect {kind} of the consensus failed: {error}', { kind: effect.kind, error })
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
      // The newest record is written in place of the one that was not.
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
