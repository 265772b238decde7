/** An IP address as 4 or 16 bytes; an IPv4-mapped IPv6 address (::ffff:1.2.3.4) as 4. */
export type IpAddress = readonly number[]

const PART_V4 = /^(?:0|[1-9]\d{0,2})$/
const PART_V6 = /^[0-9a-f]{1,4}$/i

/** Longest text of an address with a zone. */
const TEXT_LENGTH_MAX = 100

const parseV4 = (text: string): IpAddress | undefined => {
  const parts = text.split('.')
  const bytes = parts.map(Number)
  return parts.length === 4 && parts.every(part => PART_V4.test(part)) && bytes.every(byte => byte < 256)
    ? bytes
    : undefined
}

/** Groups of 16 bits; an IPv4 address may end the text. Undefined where a group is invalid. */
const groupsOf = (text: string, isEnd: boolean): number[] | undefined => {
  if (text === '') return []
  const parts = text.split(':')
  const groups: number[] = []
  for (const [index, part] of parts.entries()) {
    const v4 = isEnd && index === parts.length - 1 && part.includes('.') ? parseV4(part) : undefined
    if (v4 !== undefined) {
      const [a, b, c, d] = v4 as [number, number, number, number]
      groups.push(a * 256 + b, c * 256 + d)
    } else if (PART_V6.test(part)) groups.push(Number.parseInt(part, 16))
    else return undefined
  }
  return groups
}

const parseV6 = (text: string): IpAddress | undefined => {
  const halves = text.split('::')
  if (halves.length > 2) return undefined
  const [head, tail] = halves.map((half, index) => groupsOf(half, index === halves.length - 1))
  if (head === undefined || (halves.length === 2 && tail === undefined)) return undefined
  const missing = 8 - head.length - (tail?.length ?? 0)
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined
  const groups = [...head, ...Array.from({ length: missing }, () => 0), ...(tail ?? [])]
  const bytes = groups.flatMap(group => [group >> 8, group & 0xff])
  const isMapped = bytes.slice(0, 12).every((byte, index) => byte === (index < 10 ? 0 : 0xff))
  return isMapped ? bytes.slice(12) : bytes
}

/** Parses an address, ignoring a zone after %. Undefined for an invalid one. */
export const parseIpAddress = (text: string): IpAddress | undefined => {
  if (text.length > TEXT_LENGTH_MAX) return undefined
  const [address = ''] = text.split('%')
  return address.includes(':') ? parseV6(address) : parseV4(address)
}

/** The groups of an IPv6 address in hex. */
export const ipGroups = (address: IpAddress): readonly string[] => {
  const groups: string[] = []
  for (let at = 0; at < address.length; at += 2)
    groups.push(((address[at] as number) * 256 + (address[at + 1] as number)).toString(16))
  return groups
}

/** The usual text form; IPv6 in its shortest form, as in URLs. */
export const ipText = (address: IpAddress): string =>
  address.length === 4
    ? address.join('.')
    : new URL(`http://[${ipGroups(address).join(':')}]`).hostname.slice(1, -1)

/** A network such as 10.0.0.0/8, or a single address. */
export type IpNetwork = { readonly address: IpAddress; readonly bits: number }

export const parseIpNetwork = (text: string): IpNetwork | undefined => {
  const [addressText = '', bitsText, ...more] = text.split('/')
  const address = parseIpAddress(addressText)
  if (address === undefined || more.length > 0) return undefined
  const most = address.length * 8
  if (bitsText === undefined) return { address, bits: most }
  return PART_V4.test(bitsText) && Number(bitsText) <= most ? { address, bits: Number(bitsText) } : undefined
}

export const isWithin = (address: IpAddress, network: IpNetwork): boolean => {
  if (address.length !== network.address.length) return false
  for (let bit = 0; bit < network.bits; bit += 8) {
    const mask = (0xff00 >> Math.min(8, network.bits - bit)) & 0xff
    const at = bit / 8
    if ((((address[at] as number) ^ (network.address[at] as number)) & mask) !== 0) return false
  }
  return true
}
