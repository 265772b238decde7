import { type Address, equalBytes } from '../../core/bytes/bytes.ts'
import { toHex } from '../../core/bytes/hex.ts'
import type { DropReason, Effect } from '../../core/qbft/effect.ts'
import { includesAddress } from '../../core/validators/votes.ts'
import type { Misbehaviour } from '../../p2p/network.ts'
import type { Log } from '../logging/log.ts'

type Dropped = Extract<Effect, { readonly kind: 'dropped' }>

/** By whom a message came: one of the validators of the next block, or anybody else. */
export type PeerClass = 'validator' | 'other'

/** Reasons of the machine, and a full queue before it. */
export type CountedReason = DropReason | 'queue-full'

/**
 * What is held against a peer. An invalid proposal too weighs as a message, not as a block that a peer passed on
 * unchecked: clocks that differ make some, and a validator that is cut off for it cannot even ask for another round.
 */
const BLAME: ReadonlyMap<DropReason, Misbehaviour> = new Map([
  ['unknown-code', 'invalid-message'],
  ['undecodable', 'invalid-message'],
  ['oversized', 'oversized-message'],
  ['bad-signature', 'invalid-message'],
  ['bad-seal', 'invalid-message'],
  ['invalid-block', 'invalid-message'],
])

/** Whether the peer that sent it must have known: what it signed itself, and what nobody who reads it passes on. */
const isPeersOwn = ({ author, peer }: Dropped): boolean => author === undefined || equalBytes(author, peer)

export type Drops = {
  /** The machine did not use a message; gives what its sender is to be blamed for, if anything. */
  dropped(effect: Dropped, validators: readonly Address[]): Misbehaviour | undefined
  /** The queue before the machine was full. */
  refused(peer: Address, validators: readonly Address[]): void
}

/** Between two lines about refused messages: a flood must not fill the log as well. */
const REFUSED_TOLD_MS = 10_000

/** Counts messages that were not used, by reason and class of peer, and tells of them at debug level. */
export const createDrops = (log: Log): Drops => {
  const counts = new Map<`${CountedReason} ${PeerClass}`, number>()
  let toldMs = -Infinity

  const count = (reason: CountedReason, peer: Address, validators: readonly Address[]): number => {
    const key = `${reason} ${includesAddress(validators, peer) ? 'validator' : 'other'}` as const
    const next = (counts.get(key) ?? 0) + 1
    counts.set(key, next)
    return next
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
      return isPeersOwn(effect) ? BLAME.get(reason) : undefined
    },
    refused: (peer, validators) => {
      const total = count('queue-full', peer, validators)
      const nowMs = Date.now()
      if (nowMs - toldMs < REFUSED_TOLD_MS) return
      toldMs = nowMs
      log.warn('Messages come faster than they are handled: one of {peer} is dropped ({total} so far)', {
        peer: toHex(peer),
        total,
      })
    },
  }
}
