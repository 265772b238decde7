import { isIPv4, isIPv6 } from 'node:net'
import { bytesToBigint } from '../../../core/bytes/integer.ts'
import { type RawItem, rawString } from '../../../core/rlp/rawItem.ts'
import { type RlpInput, RlpError } from '../../../core/rlp/rlp.ts'

/** Where a node is: a numeric address, and the ports of discovery and of connections; 0 for none. */
export type Endpoint = { readonly host: string; readonly udp: number; readonly tcp: number }

const PORT_MAX = 65_535

const ipv6Bytes = (host: string): Uint8Array => {
  const [head = '', tail] = host.split('::')
  const words = (text: string): number[] =>
    text === '' ? [] : text.split(':').map(word => Number.parseInt(word, 16))
  const before = words(head)
  const after = tail === undefined ? [] : words(tail)
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0)
  return Uint8Array.from(
    [...before, ...(tail === undefined ? [] : zeros), ...after].flatMap(word => [word >> 8, word & 255]),
  )
}

/** 4 or 16 bytes; 0.0.0.0 for a host name, for which the receiver takes the address that the packet came from. */
export const addressBytes = (host: string): Uint8Array => {
  if (isIPv4(host)) return Uint8Array.from(host.split('.'), Number)
  if (isIPv6(host) && !host.includes('.')) return ipv6Bytes(host)
  return new Uint8Array(4)
}

const hostOf = (bytes: Uint8Array): string => {
  if (bytes.length === 4) return bytes.join('.')
  if (bytes.length !== 16) throw new RlpError(`an address of ${bytes.length} bytes`)
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
