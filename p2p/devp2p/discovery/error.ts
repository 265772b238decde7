/** A packet of discovery that cannot be used. */
export class DiscoveryError extends Error {
  override readonly name = 'DiscoveryError'
  readonly code = 'INVALID_PACKET'
}
