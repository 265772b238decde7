import { getAddress, isAddress } from 'viem/utils'

const HEAD_LENGTH = 10
const TAIL_LENGTH = 8

/** The beginning and the end of a long hash. */
export const shorten = (hex: string, head = HEAD_LENGTH, tail = TAIL_LENGTH): string =>
  hex.length <= head + tail + 1 ? hex : `${hex.slice(0, head)}…${hex.slice(-tail)}`

/** With the checksum of EIP-55; other texts as they are. */
export const checksummed = (address: string): string =>
  isAddress(address, { strict: false }) ? getAddress(address) : address

export const isHash = (text: string): boolean => /^0x[0-9a-f]{64}$/i.test(text)

export const isAddressText = (text: string): boolean => /^0x[0-9a-f]{40}$/i.test(text)
