import { parseIpNetwork } from '../../../handlers/auth/ipAddress.ts'
import { EnodeError, hostKind, parseEnode } from '../../../p2p/transport/enode.ts'
import { UsageError } from '../errors.ts'
import { InvalidValue } from '../option.ts'

type Ipv6Options = { readonly p2pHostIpv6: string | undefined; readonly p2pInterface: string }

/** Checks enode URLs. An empty value is an empty list, as in Besu. */
export const checkEnodes = (entries: readonly string[]): readonly string[] => {
  if (entries.length === 1 && entries[0] === '') return []
  for (const entry of entries) {
    try {
      parseEnode(entry)
    } catch (error) {
      if (!(error instanceof EnodeError)) throw error
      throw new InvalidValue(`: ${error.message}`)
    }
  }
  return entries
}

/** The advertised host: an address or, unlike Besu, a host name that is resolved at each dial. */
export const parseAdvertisedHost = (text: string): string => {
  if (hostKind(text) === undefined)
    throw new InvalidValue(`: '${text}' is neither an address nor a host name`)
  return text
}

/** The address to listen on. */
export const parseInterface = (text: string): string => {
  const kind = hostKind(text)
  if (kind !== 'ip4' && kind !== 'ip6')
    throw new InvalidValue(
      `: '${text}' is not a numeric address, such as 0.0.0.0 for all addresses of this machine`,
    )
  return text
}

export const parseIpv6 = (text: string): string => {
  if (hostKind(text) !== 'ip6') throw new InvalidValue(`: '${text}' is not an IPv6 address`)
  return text
}

/** @throws UsageError where --p2p-host-ipv6 would add a second listener to one of IPv6 */
export const requireIpv4Beside = ({ p2pHostIpv6, p2pInterface }: Ipv6Options): void => {
  if (p2pHostIpv6 !== undefined && hostKind(p2pInterface) === 'ip6')
    throw new UsageError(
      'INVALID_VALUE',
      `--p2p-host-ipv6 listens on IPv6 beside an IPv4 --p2p-interface, and ${p2pInterface} is IPv6: give the address with --p2p-host alone`,
    )
}

/** Node ids, with or without 0x, in lower case with it. */
export const checkNodeIds = (entries: readonly string[]): readonly string[] =>
  entries
    .filter(entry => entry !== '')
    .map(entry => {
      if (!/^(0x)?[0-9a-f]{128}$/i.test(entry))
        throw new InvalidValue(`: '${entry}' is not a node id of 64 bytes in hex`)
      return `0x${entry.toLowerCase().replace(/^0x/, '')}`
    })

/** Checks networks such as 10.0.0.0/8; `none` or an empty value is no restriction, as in Besu. */
export const checkNetworks = (entries: readonly string[]): readonly string[] => {
  if (entries.length === 1 && /^(none)?$/i.test(entries[0] as string)) return []
  const wrong = entries.find(entry => parseIpNetwork(entry) === undefined)
  if (wrong !== undefined)
    throw new InvalidValue(`: '${wrong}' is neither a network such as 10.0.0.0/8 nor an address`)
  return entries
}
