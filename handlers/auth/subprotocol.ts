/** Stands before the token among the offered subprotocols, and is the one the server selects. */
export const TOKEN_SUBPROTOCOL = 'bearer'

/**
 * The `Authorization` header that the subprotocols of an upgrade stand for: browsers cannot set headers, so they offer
 * `new WebSocket(url, ['bearer', token])`. Undefined where no token is among them. The token is never echoed: where this
 * gives something, the answer to the upgrade selects TOKEN_SUBPROTOCOL. Only asked where `acceptsSubprotocol` says so.
 * @param offered the `Sec-WebSocket-Protocol` header.
 */
export const authorizationOfSubprotocols = (offered: string | null): string | undefined => {
  const [marker, token] = (offered ?? '').split(',').map(entry => entry.trim())
  return marker === TOKEN_SUBPROTOCOL && token !== undefined && token !== '' ? `Bearer ${token}` : undefined
}
