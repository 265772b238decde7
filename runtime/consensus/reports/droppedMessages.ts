import { type Address, equalBytes } from '../../../core/bytes/bytes.ts'
import { toHex } from '../../../core/bytes/hex.ts'
import type { DropReason, Effect } from '../../../core/qbft/effect.ts'
import { includesAddress } from '../../../core/validators/votes.ts'
import type { Misbehaviour } from '../../../p2p/network.ts'
import type { Log } from '../../logging/log.ts'
import { createDroppedMessageReport } from './droppedMessageReport.ts'

type Dropped = Extract<Effect, { readonly kind: 'dropped' }>

/** Class of the peer that sent a message: a validator of the next block, or another. */
export type PeerClass = 'validator' | 'other'

/** Reasons of the state machine, and those of the driver: a full queue, a peer that is not a validator. */
export type CountedReason = DropReason | 'queue-full' | 'peer-not-a-validator'

/**
 * Misbehaviour reported for each reason. An invalid proposal counts as an invalid message only: different clocks cause some,
 * and a disconnected validator cannot even ask for a round change.
 */
const MISBEHAVIOURS: ReadonlyMap<CountedReason, Misbehaviour> = new Map([
  ['unknown-code', 'invalid-message'],
  ['undecodable', 'invalid-message'],
  ['oversized', 'oversized-message'],
  ['bad-signature', 'invalid-message'],
  ['bad-seal', 'invalid-message'],
  ['invalid-block', 'invalid-message'],
  ['unjustified', 'invalid-message'],
  ['not-the-proposer', 'invalid-message'],
])

/** Reasons that occur in a network of honest nodes: duplicate or late messages. */
const USUAL: ReadonlySet<CountedReason> = new Set([
  'duplicate',
  'past-height',
  'past-round',
  'superseded',
  'far-future-height',
  'far-future-round',
])

/**
 * Dropped messages per peer and second that count as flooding. Honest peers cause a few dozen when a node is far behind.
 */
const DROPPED_PER_SECOND_MAX = 200

/** Whether the peer is responsible: it signed the message itself, or relayed one that honest nodes do not relay. */
const isPeersOwn = ({ author, peer, reason }: Pick<Dropped, 'author' | 'peer' | 'reason'>): boolean =>
  author === undefined || equalBytes(author, peer) || reason === 'not-a-validator'

export type DroppedMessages = {
  /** Counts a message dropped by the state machine. Returns the misbehaviour to report, if any. */
  dropped(effect: Dropped, validators: readonly Address[]): Misbehaviour | undefined
  /** Counts a message that never reached the state machine. */
  refused(peer: Address, reason: 'queue-full' | 'peer-not-a-validator', validators: readonly Address[]): void
  stop(): void
}

/**
 * Counts dropped messages by reason and class of peer. Logs each at debug level, and suspicious ones in a summary.
 */
export const createDroppedMessages = (log: Log): DroppedMessages => {
  const counts = new Map<`${CountedReason} ${PeerClass}`, number>()
  const report = createDroppedMessageReport(log)
  /** Counts by peer in the current second. */
  let second = { atMs: 0, ofPeer: new Map<string, number>() }

  const count = (reason: CountedReason, peer: Address, validators: readonly Address[]): number => {
    const key = `${reason} ${includesAddress(validators, peer) ? 'validator' : 'other'}` as const
    const next = (counts.get(key) ?? 0) + 1
    counts.set(key, next)
    report.note(toHex(peer), reason, !USUAL.has(reason))
    return next
  }

  /** True each time a peer reaches a multiple of the limit within a second. */
  const isFlood = (peer: Address): boolean => {
    const nowMs = Date.now()
    if (nowMs - second.atMs >= 1000 || nowMs < second.atMs) second = { atMs: nowMs, ofPeer: new Map() }
    const key = toHex(peer)
    const next = (second.ofPeer.get(key) ?? 0) + 1
    second.ofPeer.set(key, next)
    return next % DROPPED_PER_SECOND_MAX === 0
  }

  return {
    dropped: (effect, validators) => {
      const { reason, peer, detail } = effect
      const total = count(reason, peer, validators)
      log.debug('Dropped a message of {peer}: {reason}, {detail} ({total} so far)', () => ({
        peer: toHex(peer),
        reason,
        detail,
        total,
      }))
      if (!isPeersOwn(effect)) return undefined
      // Duplicates are not a fault: another peer may have delivered the message first.
      const counts = reason !== 'duplicate' && reason !== 'past-height'
      return MISBEHAVIOURS.get(reason) ?? (counts && isFlood(peer) ? 'flooding' : undefined)
    },
    refused: (peer, reason, validators) => {
      count(reason, peer, validators)
    },
    stop: () => report.stop(),
  }
}
