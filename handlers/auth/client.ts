import { type IpAddress, type IpNetwork, ipText, isWithin, parseIpAddress } from './ipAddress.ts'

/** Longest chain of proxies; the rest of a longer list is ignored. */
const HOPS_MAX = 16

/** Parses an entry of X-Forwarded-For; some proxies append a port, and then put IPv6 in brackets. */
const addressOf = (entry: string): IpAddress | undefined => {
  const text = entry.trim()
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)
  if (bracketed !== null) return parseIpAddress(bracketed[1] as string)
  return parseIpAddress(text.replace(/^([\d.]+):\d{1,5}$/, '$1'))
}

/**
 * Creates the function that determines the client's address. Anyone may send X-Forwarded-For, so only entries appended by
 * trusted proxies count: read from the end, the first address that is not a trusted proxy is the client.
 * @param trustedProxies `--rpc-trusted-proxies`; empty to ignore the header.
 * @returns a function of the socket's peer and the `X-Forwarded-For` header, which returns an IP address, or the peer itself
 *   where it is not an address.
 */
export const createClientOf =
  (trustedProxies: readonly IpNetwork[]) =>
  (peer: string, forwardedFor: string | null): string => {
    const isTrusted = (address: IpAddress): boolean =>
      trustedProxies.some(network => isWithin(address, network))
    let client = parseIpAddress(peer)
    if (client === undefined) return peer
    if (forwardedFor === null || trustedProxies.length === 0) return ipText(client)
    const entries = forwardedFor.split(',').slice(-HOPS_MAX)
    for (const entry of entries.reverse()) {
      if (!isTrusted(client)) break
      const before = addressOf(entry)
      if (before === undefined) break
      client = before
    }
    return ipText(client)
  }

export type ClientOf = ReturnType<typeof createClientOf>
