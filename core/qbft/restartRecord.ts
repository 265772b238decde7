import type { Hash } from '../bytes/bytes.ts'
import type { PreparedCertificate } from './message.ts'

/**
 * What a validator must not forget between two signatures: written durably before the newest of them leaves, so that
 * after a restart it neither signs a second value in a round nor loses the lock of a prepared certificate. Describes one
 * height; a record of a lower height than the next block's has no meaning any more.
 */
export type RestartRecord = {
  readonly sequence: bigint
  /** Nothing is signed for a round below it: the highest round that this node took part in or asked to change to. */
  readonly round: number
  /** Digest of the own proposal in `round`. */
  readonly proposed: Hash | undefined
  /** Digest prepared in `round`. */
  readonly prepared: Hash | undefined
  /** Digest committed in `round`. */
  readonly committed: Hash | undefined
  /** The latest of this height. */
  readonly certificate: PreparedCertificate | undefined
}
