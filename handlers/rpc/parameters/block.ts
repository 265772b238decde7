import { isObject, type JsonObject } from '../../../core/json.ts'
import { hasFinality } from './finality.ts'
import { bareHashOf, flagOf, integerOf, given } from './values.ts'
import { RpcError, type RpcErrorName } from '../errors.ts'
import type { RpcContext } from '../context.ts'
import type { Params } from '../method.ts'
import type { Hash } from '../../../core/bytes/bytes.ts'

export type BlockTag = 'earliest' | 'latest' | 'pending' | 'safe' | 'finalized'

/** The value of a block parameter. */
export type BlockSelector =
  | { readonly kind: 'tag'; readonly tag: BlockTag }
  | { readonly kind: 'number'; readonly number: bigint }
  | { readonly kind: 'hash'; readonly hash: Hash }

export const LATEST: BlockSelector = { kind: 'tag', tag: 'latest' }
export const PENDING: BlockSelector = { kind: 'tag', tag: 'pending' }

const TAGS: ReadonlySet<string> = new Set(['earliest', 'latest', 'pending', 'safe', 'finalized'])

const INT64_MAX = 2n ** 63n - 1n

/** Strings of at least this length are read as hashes, as in Besu. A hash without 0x is one character shorter. */
const HASH_LENGTH_MIN = 65
/** Longer strings are neither numbers nor hashes: 0x and 14 digits. */
const NUMBER_LENGTH_MAX = 16

/**
 * Java's Long.decode without a minus: hex after 0x, octal after 0, or decimal. Undefined where it throws. Besu accepts all of
 * these in releases until 2026, and only hex in later ones.
 */
const decodeLong = (text: string): bigint | undefined => {
  const match = /^\+?(?:(0[xX]|#)([0-9a-fA-F]+)|0([0-7]+)|(\d+))$/.exec(text)
  if (match === null || text.length > 32) return undefined
  const [, , hex, octal, decimal] = match
  const size =
    hex !== undefined
      ? BigInt(`0x${hex}`)
      : octal !== undefined
        ? BigInt(`0o${octal}`)
        : BigInt(decimal ?? '0')
  return size > INT64_MAX ? undefined : size
}

/** A tag, case-insensitive, or a number: hex, decimal, octal, or a JSON integer. */
export const numberSelectorOf = (value: unknown): BlockSelector | undefined => {
  if (typeof value === 'number')
    return Number.isSafeInteger(value) && value >= 0 ? { kind: 'number', number: BigInt(value) } : undefined
  if (typeof value !== 'string') return undefined
  const tag = value.toLowerCase()
  if (TAGS.has(tag)) return { kind: 'tag', tag: tag as BlockTag }
  const number = decodeLong(value)
  return number === undefined ? undefined : { kind: 'number', number }
}

const hashSelectorOf = (value: unknown): BlockSelector | undefined => {
  const hash = bareHashOf(value)
  return hash === undefined ? undefined : { kind: 'hash', hash }
}

/** A tag, a number, a hash, or the objects of EIP-1898. */
export const selectorOf = (value: unknown): BlockSelector | undefined => {
  if (typeof value === 'string') {
    if (value.length >= HASH_LENGTH_MIN) return hashSelectorOf(value)
    return value.length > NUMBER_LENGTH_MAX ? undefined : numberSelectorOf(value)
  }
  return isObject(value) ? objectSelectorOf(value) : numberSelectorOf(value)
}

/** EIP-1898: a hash or a number, not both. All stored blocks are canonical, so `requireCanonical` must only be valid. */
const objectSelectorOf = (value: JsonObject): BlockSelector | undefined => {
  const { blockHash = null, blockNumber = null, requireCanonical = null } = value
  if (requireCanonical !== null && flagOf(requireCanonical) === undefined) return undefined
  if (blockHash !== null) return blockNumber === null ? hashSelectorOf(blockHash) : undefined
  const number = integerOf(blockNumber, 63)
  return number === undefined ? undefined : { kind: 'number', number }
}

/** The block parameter of methods that take only numbers and tags. @throws RpcError `error` if it is missing or invalid */
export const requireNumberSelector = (params: Params, index: number, error: RpcErrorName): BlockSelector => {
  const selector = numberSelectorOf(given(params, index))
  if (selector === undefined) throw new RpcError(error)
  return selector
}

/** The block parameter of methods that also take hashes; undefined if it is missing. @throws RpcError */
export const readSelector = (params: Params, index: number): BlockSelector | undefined => {
  const value = given(params, index)
  if (value === undefined) return undefined
  const selector = selectorOf(value)
  if (selector === undefined) throw new RpcError('INVALID_BLOCK')
  return selector
}

/** The selector for calls that need an existing block: `pending` becomes the head, as in Besu. */
export const settled = (selector: BlockSelector): BlockSelector =>
  selector.kind === 'tag' && selector.tag === 'pending' ? LATEST : selector

/** Reads the block parameter, by default `latest`, and then the parameters before it: this is Besu's order of checks. */
export const withSelector = <T>(
  params: Params,
  index: number,
  read: () => T,
): readonly [value: T, selector: BlockSelector] => {
  const selector = readSelector(params, index) ?? LATEST
  return [read(), selector]
}

/**
 * As `withSelector`, for methods in which Besu requires the block. A request without one uses `latest` (execution-apis). If its
 * other parameters are invalid, too, the answer is Besu's error for the missing block.
 */
export const withRequiredSelector = <T>(
  params: Params,
  index: number,
  read: () => T,
): readonly [value: T, selector: BlockSelector] => {
  const selector = readSelector(params, index)
  if (selector !== undefined) return [read(), selector]
  try {
    return [read(), LATEST]
  } catch (error) {
    if (error instanceof RpcError)
      throw new RpcError('INVALID_BLOCK', { data: 'block: missing', cause: error })
    throw error
  }
}

/**
 * The number of the selected block; undefined if it does not exist. `pending` is the head, as this node stores no unfinished
 * block. `earliest` is the first block that this node keeps (execution-apis). `safe` and `finalized` are the head if it is final, and unknown otherwise (execution-apis).
 * @throws RpcError
 */
export const blockNumberOf = async (
  context: RpcContext,
  selector: BlockSelector,
): Promise<bigint | undefined> => {
  const { header } = context.chain.head()
  const { number: head } = header
  if (selector.kind === 'number') return selector.number <= head ? selector.number : undefined
  if (selector.kind === 'hash') return await context.chain.store.numberOfHash(selector.hash)
  const { tag } = selector
  if (tag === 'earliest') return context.chain.store.historyStart?.() ?? 0n
  const asksForFinality = tag === 'safe' || tag === 'finalized'
  if (asksForFinality && !hasFinality(context.chain.configuration, header))
    throw new RpcError('UNKNOWN_BLOCK')
  return head
}
