import type { Hash } from '../../bytes/bytes.ts'
import type { PreparedCertificate } from '../message.ts'

/**
 * The restart record: written durably before a signature is sent, so that a restarted validator neither signs a second
 * value in a round nor loses the lock of its prepared certificate. Describes one height; a record of a height that is
 * already decided has no meaning.
 */
export type RestartRecord = {
  readonly sequence: bigint
  /** Nothing is signed below this round: the highest round that this validator signed in or requested. */
  readonly round: number
  /** Digest of this validator's proposal in `round`. */
  readonly proposed: Hash | undefined
  /** Digest prepared in `round`. */
  readonly prepared: Hash | undefined
  /** Digest committed in `round`. */
  readonly committed: Hash | undefined
  /** The latest prepared certificate of this height. */
  readonly certificate: PreparedCertificate | undefined
}
