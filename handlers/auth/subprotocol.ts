/** Precedes the token in the list of offered subprotocols; the server selects it. */
export const TOKEN_SUBPROTOCOL = 'bearer'

/**
 * Builds an `Authorization` header from the subprotocols of an upgrade: browsers cannot set headers, so they use
 * `new WebSocket(url, ['bearer', token])`. Undefined without a token. The token is never echoed: the answer to the upgrade
 * selects TOKEN_SUBPROTOCOL. Only called where `acceptsSubprotocol` is true.
 * @param offered the `Sec-WebSocket-Protocol` header.
 */
export const authorizationOfSubprotocols = (offered: string | null): string | undefined => {
  const [marker, token] = (offered ?? '').split(',').map(entry => entry.trim())
  return marker === TOKEN_SUBPROTOCOL && token !== undefined && token !== '' ? `Bearer ${token}` : undefined
}
