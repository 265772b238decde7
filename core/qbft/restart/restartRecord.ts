import type { Hash } from '../../bytes/bytes.ts'
import type { PreparedCertificate } from '../message.ts'

/**
 * The restart record of one height, made durable before a signature is sent. With it, a restarted validator neither signs a
 * second value in a round nor loses its prepared certificate. The record of a decided height is not used.
 */
export type RestartRecord = {
  readonly sequence: bigint
  /** The highest round in which this validator signed or which it requested; it must not sign in a lower round. */
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
