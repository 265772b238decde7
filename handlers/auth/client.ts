import { type IpAddress, type IpNetwork, ipText, isWithin, parseIpAddress } from './ipAddress.ts'

/** Proxies behind one another; a longer list was not made by trusted ones. */
const HOPS_MAX = 16

/** An entry of X-Forwarded-For; some proxies put a port behind it, and then brackets around IPv6. */
const addressOf = (entry: string): IpAddress | undefined => {
  const text = entry.trim()
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)
  if (bracketed !== null) return parseIpAddress(bracketed[1] as string)
  return parseIpAddress(text.replace(/^([\d.]+):\d{1,5}$/, '$1'))
}

/**
 * Tells where a request comes from. Anybody may send an X-Forwarded-For, so it is believed only as far as trusted proxies
 * wrote it: from its end, each address was seen by the one after it. The first that is no trusted proxy is the client.
 * @param trustedProxies `--rpc-trusted-proxies`; empty to believe none.
 * @returns of the socket's peer and the `X-Forwarded-For` header: an IP address, or the peer as it is where it has none.
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
