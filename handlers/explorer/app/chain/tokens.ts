import { decodeAbiParameters, hexToString } from 'viem/utils'
import { call } from '../rpc/client.ts'
import { RpcFailure } from '../rpc/failure.ts'
import type { Hex } from '../rpc/types.ts'

/** The description that a token contract returns. Its author may choose any name. */
export type Token = {
  readonly address: Hex
  readonly kind: 'ERC-20' | 'ERC-721' | 'ERC-1155' | undefined
  readonly name: string | undefined
  readonly symbol: string | undefined
  /** A whole number from 0 to 77; undefined if the contract returns none. */
  readonly decimals: number | undefined
  readonly totalSupply: bigint | undefined
}

const SELECTORS = {
  name: '0x06fdde03',
  symbol: '0x95d89b41',
  decimals: '0x313ce567',
  totalSupply: '0x18160ddd',
} as const

/** Identifiers of ERC-165. */
const ERC721 = '80ac58cd'
const ERC1155 = 'd9b67a26'

const WORD_LENGTH = 66
/** Beyond this an amount has no digit before the point. */
const DECIMALS_MAX = 77

const ask = async (to: Hex, data: string): Promise<Hex | undefined> => {
  try {
    const result = await call<Hex>('eth_call', { to, data }, 'latest')
    return result.length < WORD_LENGTH ? undefined : result
  } catch (error) {
    if (error instanceof RpcFailure && typeof error.code !== 'number') throw error
    // The contract has no such function.
    return undefined
  }
}

/** A string, or the 32 bytes that some early tokens return. */
const textOf = (result: Hex | undefined): string | undefined => {
  if (result === undefined) return undefined
  try {
    if (result.length === WORD_LENGTH) return hexToString(result).replace(/\0+$/, '')
    return decodeAbiParameters([{ type: 'string' }], result)[0]
  } catch {
    // Something else than a text.
    return undefined
  }
}

const numberOf = (result: Hex | undefined): bigint | undefined =>
  result === undefined ? undefined : BigInt(result.slice(0, WORD_LENGTH))

const supports = async (address: Hex, id: string): Promise<boolean> =>
  numberOf(await ask(address, `0x01ffc9a7${id.padEnd(64, '0')}`)) === 1n

const readToken = async (address: Hex): Promise<Token> => {
  const [name, symbol, decimals, supply, is721, is1155] = await Promise.all([
    ask(address, SELECTORS.name).then(textOf),
    ask(address, SELECTORS.symbol).then(textOf),
    ask(address, SELECTORS.decimals).then(numberOf),
    ask(address, SELECTORS.totalSupply).then(numberOf),
    supports(address, ERC721),
    supports(address, ERC1155),
  ])
  return {
    address,
    kind: is721 ? 'ERC-721' : is1155 ? 'ERC-1155' : supply === undefined ? undefined : 'ERC-20',
    name,
    symbol,
    decimals: decimals === undefined || decimals > BigInt(DECIMALS_MAX) ? undefined : Number(decimals),
    totalSupply: supply,
  }
}

const KEPT_MAX = 200
const kept = new Map<string, Promise<Token>>()

/** Asks the contract, once for each page load. */
export const tokenOf = (address: Hex): Promise<Token> => {
  const key = address.toLowerCase()
  const found = kept.get(key)
  if (found !== undefined) return found
  if (kept.size >= KEPT_MAX) kept.delete(kept.keys().next().value as string)
  const token = readToken(address)
  kept.set(key, token)
  // The node did not answer: the next page asks again.
  token.catch(() => kept.delete(key))
  return token
}
