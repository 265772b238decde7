/**
 * A connection whose bytes do not follow RLPx. There is one text for everything that fails in the handshake, so that an
 * attacker learns nothing about the node key by trying.
 */
export class RlpxError extends Error {
  override readonly name = 'RlpxError'
  readonly code = 'INVALID_RLPX'
}
