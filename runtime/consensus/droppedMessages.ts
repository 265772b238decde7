import { type Address, equalBytes } from '../../core/bytes/bytes.ts'
import { toHex } from '../../core/bytes/hex.ts'
import type { DropReason, Effect } from '../../core/qbft/effect.ts'
import { includesAddress } from '../../core/validators/votes.ts'
import type { Misbehaviour } from '../../p2p/network.ts'
import type { Log } from '../logging/log.ts'
import { createDropReport } from './droppedMessageReport.ts'

type Dropped = Extract<Effect, { readonly kind: 'dropped' }>

/** By whom a message came: one of the validators of the next block, or anybody else. */
export type PeerClass = 'validator' | 'other'

/** Reasons of the machine, and before it a full queue and a peer that is no validator. */
export type CountedReason = DropReason | 'queue-full' | 'peer-not-a-validator'

/**
 * What is held against a peer. An invalid proposal too weighs as a message, not as a block that a peer passed on
 * unchecked: clocks that differ make some, and a validator that is cut off for it cannot even ask for another round.
 */
const BLAME: ReadonlyMap<CountedReason, Misbehaviour> = new Map([
  ['unknown-code', 'invalid-message'],
  ['undecodable', 'invalid-message'],
  ['oversized', 'oversized-message'],
  ['bad-signature', 'invalid-message'],
  ['bad-seal', 'invalid-message'],
  ['invalid-block', 'invalid-message'],
  ['unjustified', 'invalid-message'],
  ['not-the-proposer', 'invalid-message'],
])

/** What a network of honest nodes does all the time: what came twice, or late. */
const USUAL: ReadonlySet<CountedReason> = new Set([
  'duplicate',
  'past-height',
  'past-round',
  'superseded',
  'far-future-height',
  'far-future-round',
])

/**
 * Of one peer's own messages in a second; honest ones say some tens that come to nothing when a node is far behind. Each time that
 * many counts against it.
 */
const DROPPED_PER_SECOND_MAX = 200

/** Whether the peer that sent it must have known: what it signed itself, and what nobody who reads it passes on. */
const isPeersOwn = ({ author, peer, reason }: Pick<Dropped, 'author' | 'peer' | 'reason'>): boolean =>
  author === undefined || equalBytes(author, peer) || reason === 'not-a-validator'

export type Drops = {
  /** The machine did not use a message; gives what its sender is to be blamed for, if anything. */
  dropped(effect: Dropped, validators: readonly Address[]): Misbehaviour | undefined
  /** It was not given to the machine. */
  refused(peer: Address, reason: 'queue-full' | 'peer-not-a-validator', validators: readonly Address[]): void
  stop(): void
}

/**
 * Counts messages that were not used, by reason and class of peer. Each is told of at debug level; what no honest peer
 * does, in a line from time to time.
 */
export const createDrops = (log: Log): Drops => {
  const counts = new Map<`${CountedReason} ${PeerClass}`, number>()
  const report = createDropReport(log)
  /** Of each peer in the second that began then. */
  let second = { atMs: 0, ofPeer: new Map<string, number>() }

  const count = (reason: CountedReason, peer: Address, validators: readonly Address[]): number => {
    const key = `${reason} ${includesAddress(validators, peer) ? 'validator' : 'other'}` as const
    const next = (counts.get(key) ?? 0) + 1
    counts.set(key, next)
    report.note(toHex(peer), reason, !USUAL.has(reason))
    return next
  }

  /** True when the peer sent too much of what is not used in this second, and each time it has sent as much again. */
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
      // What came twice was perhaps brought by another before.
      const counts = reason !== 'duplicate' && reason !== 'past-height'
      return BLAME.get(reason) ?? (counts && isFlood(peer) ? 'flooding' : undefined)
    },
    refused: (peer, reason, validators) => {
      count(reason, peer, validators)
    },
    stop: () => report.stop(),
  }
}
