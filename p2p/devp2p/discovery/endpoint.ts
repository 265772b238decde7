import { isIPv4, isIPv6 } from 'node:net'
import { equalBytes } from '../../../core/bytes/bytes.ts'
import { bytesToBigint } from '../../../core/bytes/integer.ts'
import { type RawItem, rawString } from '../../../core/rlp/rawItem.ts'
import { type RlpInput, RlpError } from '../../../core/rlp/rlp.ts'
import { ipv6Words } from '../../transport/addressNetwork.ts'

/** Where a node is: a numeric address, and the ports of discovery and of connections; 0 for none. */
export type Endpoint = { readonly host: string; readonly udp: number; readonly tcp: number }

const PORT_MAX = 65_535

const ipv6Bytes = (host: string): Uint8Array =>
  Uint8Array.from(ipv6Words(host).flatMap(word => [word >> 8, word & 255]))

/** 4 or 16 bytes; 0.0.0.0 for a host name, for which the receiver takes the address that the packet came from. */
export const addressBytes = (host: string): Uint8Array => {
  if (isIPv4(host)) return Uint8Array.from(host.split('.'), Number)
  if (isIPv6(host)) return ipv6Bytes(host)
  return new Uint8Array(4)
}

/** An IPv4 address has 4 bytes, or after these 16. */
const MAPPED = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff)

const hostOf = (bytes: Uint8Array): string => {
  if (bytes.length === 4) return bytes.join('.')
  if (bytes.length !== 16) throw new RlpError(`an address of ${bytes.length} bytes`)
  if (equalBytes(bytes.subarray(0, MAPPED.length), MAPPED)) return bytes.subarray(MAPPED.length).join('.')
  const view = new DataView(bytes.buffer, bytes.byteOffset, 16)
  return Array.from({ length: 8 }, (_, index) => view.getUint16(2 * index).toString(16)).join(':')
}

const portOf = (item: RawItem | undefined): number => {
  const port = item === undefined ? 0n : bytesToBigint(rawString(item, 'a port'))
  if (port > BigInt(PORT_MAX)) throw new RlpError(`port ${port}`)
  return Number(port)
}

export const endpointItem = ({ host, udp, tcp }: Endpoint): RlpInput[] => [addressBytes(host), udp, tcp]

/** The first three items of a list. @throws RlpError */
export const readEndpoint = ([address, udp, tcp]: readonly (RawItem | undefined)[]): Endpoint => {
  const bytes = rawString(address, 'an address')
  return { host: bytes.length === 0 ? '0.0.0.0' : hostOf(bytes), udp: portOf(udp), tcp: portOf(tcp) }
}

/** True for an unspecified address. */
export const isUnspecified = (host: string): boolean => /^[0.:]+$/.test(host)
