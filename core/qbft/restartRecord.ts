import type { Hash } from '../bytes/bytes.ts'
import type { PreparedCertificate } from './message.ts'

/**
 * What a validator must not forget between two signatures: written before the newest of them leaves, so that
 * after a restart it neither signs a second value in a round nor loses the lock of a prepared certificate. Describes one
 * height; a record of a lower height than the next block's has no meaning any more.
 */
export type RestartRecord = {
  readonly sequence: bigint
  /** Nothing is signed for a round below it: the highest round that this node took part in or asked to change to. */
  readonly round: number
  /**
   * A record with this set became durable before anything was signed in `round`. What came later need not be: where this is
   * the last that the disk has, a proposal and a prepare may have left that are not in it.
   */
  readonly reserved: boolean
  /** Digest of the own proposal in `round`. */
  readonly proposed: Hash | undefined
  /** Digest prepared in `round`. */
  readonly prepared: Hash | undefined
  /** Digest committed in `round`. */
  readonly committed: Hash | undefined
  /** The latest of this height. */
  readonly certificate: PreparedCertificate | undefined
}

/** What was signed so far, as far as it matters in `round`: all of it lies behind in a lower one. */
export const signedIn = (signed: RestartRecord, round: number): RestartRecord =>
  signed.round === round
    ? signed
    : { ...signed, round, reserved: false, proposed: undefined, prepared: undefined, committed: undefined }

/**
 * What an earlier life left. Where it had reserved a round and no prepare of it is known, it may have signed anything there:
 * this life begins with the next one, as one does that asked for it.
 */
export const takenUp = (record: RestartRecord): RestartRecord => {
  if (!record.reserved) return record
  return record.prepared === undefined ? signedIn(record, record.round + 1) : { ...record, reserved: false }
}
