/** An invalid discovery packet. */
export class DiscoveryError extends Error {
  override readonly name = 'DiscoveryError'
  readonly code = 'INVALID_PACKET'
}
