import { isIPv4, isIPv6 } from 'node:net'

const OWNED_WORDS = 4
const SITE_WORDS = 3

/** The eight words of a numeric IPv6 address. */
export const ipv6Words = (host: string): readonly number[] => {
  const [address = ''] = host.split('%')
  // ::1.2.3.4 has the last two words in decimal.
  const plain = address.replace(
    /(\d+)\.(\d+)\.(\d+)\.(\d+)$/,
    (_, a: string, b: string, c: string, d: string) =>
      `${(Number(a) * 256 + Number(b)).toString(16)}:${(Number(c) * 256 + Number(d)).toString(16)}`,
  )
  const [head = '', tail] = plain.split('::')
  const words = (text: string): number[] =>
    text === '' ? [] : text.split(':').map(word => Number.parseInt(word, 16))
  const before = words(head)
  if (tail === undefined) return before
  const after = words(tail)
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after]
}

const prefixOf = (words: readonly number[], count: number): string =>
  `${words
    .slice(0, count)
    .map(word => word.toString(16))
    .join(':')}::/${16 * count}`

/** Loopback, link-local and unique local addresses, and the unspecified one. */
const isPrivateIpv6 = ([first = 0, ...rest]: readonly number[]): boolean =>
  (first & 0xfe00) === 0xfc00 ||
  (first & 0xffc0) === 0xfe80 ||
  [first, ...rest.slice(0, 6)].every(word => word === 0)

const isPrivateIpv4 = (host: string): boolean => /^(?:10|127|192\.168|172\.(?:1[6-9]|2\d|3[01]))\./.test(host)

/**
 * What one owner has at least, for limits: an IPv4 address, and 64 bits of a public IPv6 address, as each host gets a network of
 * 2^64 of them. Private addresses and names stand for themselves.
 */
export const ownedNetwork = (host: string): string => {
  if (!isIPv6(host)) return host
  const words = ipv6Words(host)
  return isPrivateIpv6(words) ? host : prefixOf(words, OWNED_WORDS)
}

/**
 * What one owner may have, for limits: the network of 256 public IPv4 addresses, or of 48 bits of a public IPv6 address, which a
 * site gets. Undefined for private addresses and names.
 */
export const siteNetwork = (host: string): string | undefined => {
  if (isIPv4(host)) return isPrivateIpv4(host) ? undefined : `${host.split('.').slice(0, 3).join('.')}.0/24`
  if (!isIPv6(host)) return undefined
  const words = ipv6Words(host)
  return isPrivateIpv6(words) ? undefined : prefixOf(words, SITE_WORDS)
}
