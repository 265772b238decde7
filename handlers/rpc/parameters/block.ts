import { hasFinality } from '../finality.ts'
import { hashOf, isObject, integerOf, given } from './values.ts'
import { RpcError, type RpcErrorName } from '../errors.ts'
import type { RpcContext } from '../context.ts'
import type { Params } from '../method.ts'
import type { Hash } from '../../../core/bytes/bytes.ts'

export type BlockTag = 'earliest' | 'latest' | 'pending' | 'safe' | 'finalized'

/** What a block parameter names. */
export type BlockSelector =
  | { readonly kind: 'tag'; readonly tag: BlockTag }
  | { readonly kind: 'number'; readonly number: bigint }
  | { readonly kind: 'hash'; readonly hash: Hash }

export const LATEST: BlockSelector = { kind: 'tag', tag: 'latest' }
export const PENDING: BlockSelector = { kind: 'tag', tag: 'pending' }

const TAGS: ReadonlySet<string> = new Set(['earliest', 'latest', 'pending', 'safe', 'finalized'])

const INT64_MAX = 2n ** 63n - 1n

/** Strings at least this long are hashes, as in Besu; a hash without 0x is one digit too short for it. */
const HASH_LENGTH_MIN = 65
/** Longer ones that are no hash are nothing; this is 0x and 14 digits. */
const NUMBER_LENGTH_MAX = 16

/** Java's Long.decode: a sign, then hex after 0x, octal after 0, or decimal. Undefined where it throws. */
const decodeLong = (text: string): bigint | undefined => {
  const match = /^([+-]?)(?:(0[xX]|#)([0-9a-fA-F]+)|0([0-7]+)|(\d+))$/.exec(text)
  if (match === null || text.length > 32) return undefined
  const [, sign, , hex, octal, decimal] = match
  const size =
    hex !== undefined
      ? BigInt(`0x${hex}`)
      : octal !== undefined
        ? BigInt(`0o${octal}`)
        : BigInt(decimal ?? '0')
  if (size > INT64_MAX) return undefined
  return sign === '-' ? -size : size
}

/** A tag, case-insensitive, or a number: hex, decimal, octal, or a JSON integer. */
export const numberSelectorOf = (value: unknown): BlockSelector | undefined => {
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? { kind: 'number', number: BigInt(value) } : undefined
  if (typeof value !== 'string') return undefined
  const tag = value.toLowerCase()
  if (TAGS.has(tag)) return { kind: 'tag', tag: tag as BlockTag }
  const number = decodeLong(value)
  return number === undefined ? undefined : { kind: 'number', number }
}

const hashSelectorOf = (value: unknown): BlockSelector | undefined => {
  const hash = hashOf(value)
  return hash === undefined ? undefined : { kind: 'hash', hash }
}

/** A tag, a number, a hash, or the objects of EIP-1898. */
const selectorOf = (value: unknown): BlockSelector | undefined => {
  if (typeof value === 'string') {
    if (value.length >= HASH_LENGTH_MIN) return hashSelectorOf(value)
    return value.length > NUMBER_LENGTH_MAX ? undefined : numberSelectorOf(value)
  }
  return isObject(value) ? objectSelectorOf(value) : numberSelectorOf(value)
}

/** EIP-1898: a hash or a number, not both. All blocks are canonical here, so `requireCanonical` only has to be readable. */
const objectSelectorOf = (value: Readonly<Record<string, unknown>>): BlockSelector | undefined => {
  const { blockHash = null, blockNumber = null, requireCanonical = null } = value
  if (requireCanonical !== null && typeof requireCanonical !== 'boolean') return undefined
  if (blockHash !== null) return blockNumber === null ? hashSelectorOf(blockHash) : undefined
  const number = integerOf(blockNumber, 63)
  return number === undefined ? undefined : { kind: 'number', number }
}

/** The block parameter of methods that take numbers only; `error` where it is missing or unreadable. */
export const requireNumberSelector = (params: Params, index: number, error: RpcErrorName): BlockSelector => {
  const selector = numberSelectorOf(given(params, index))
  if (selector === undefined) throw new RpcError(error)
  return selector
}

/** The block parameter of methods that take hashes too; undefined when it is not given. @throws RpcError */
export const readSelector = (params: Params, index: number): BlockSelector | undefined => {
  const value = given(params, index)
  if (value === undefined) return undefined
  const selector = selectorOf(value)
  if (selector === undefined)
    throw new RpcError(Number.isInteger(value) ? 'INVALID_BLOCK_NUMBER' : 'INVALID_BLOCK')
  if (selector.kind === 'number' && selector.number < 0n) throw new RpcError('INVALID_BLOCK_NUMBER')
  return selector
}

/** The block itself where calls are run in one that exists: `pending` is the head, as in Besu. */
export const settled = (selector: BlockSelector): BlockSelector =>
  selector.kind === 'tag' && selector.tag === 'pending' ? LATEST : selector

/**
 * The parameters before a block parameter, and the block. Besu demands the block and looks at it first; the
 * execution-apis default it to `latest`. So a request without one gets `latest`, unless the rest of it is wrong too: then
 * it is answered as Besu answers.
 */
export const withSelector = <T>(
  params: Params,
  index: number,
  read: () => T,
): readonly [value: T, selector: BlockSelector] => {
  const selector = readSelector(params, index)
  if (selector !== undefined) return [read(), selector]
  try {
    return [read(), LATEST]
  } catch (error) {
    if (error instanceof RpcError) throw new RpcError('INVALID_BLOCK', { cause: error })
    throw error
  }
}

/**
 * The number of the block that is meant, undefined where there is none. `pending` is the head: this node holds no half-made
 * block. `safe` and `finalized` are the head where it is final, and unknown elsewhere (execution-apis).
 * @throws RpcError
 */
export const blockNumberOf = async (
  context: RpcContext,
  selector: BlockSelector,
): Promise<bigint | undefined> => {
  const { header } = context.chain.head()
  const { number: head } = header
  if (selector.kind === 'number')
    return selector.number >= 0n && selector.number <= head ? selector.number : undefined
  if (selector.kind === 'hash') return await context.chain.store.numberOfHash(selector.hash)
  const { tag } = selector
  if (tag === 'earliest') return 0n
  const asksForFinality = tag === 'safe' || tag === 'finalized'
  if (asksForFinality && !hasFinality(context.chain.configuration, header))
    throw new RpcError('UNKNOWN_BLOCK')
  return head
}
