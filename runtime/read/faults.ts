import { DecodeError } from '../../core/block/codec/error.ts'
import { RlpError } from '../../core/rlp/rlp.ts'
import { StoreCorruption } from '../../core/store/checksum.ts'
import { MalformedRecord } from '../../core/store/codec/reader.ts'
import type { KeyValueStore } from '../../core/store/keyvalue/keyvalue.ts'
import { ReplicaFault } from '../../core/store/replica/errors.ts'
import { TrieCorruption } from '../../core/trie/nodes/load.ts'
import { NotProved } from '../../core/verify/notProved.ts'
import { knownConnectionFailure } from '../files/reason.ts'

/** Errors of values that are damaged or forged; a failed connection says nothing of them. */
const WRONG_VALUE = [
  NotProved,
  StoreCorruption,
  TrieCorruption,
  MalformedRecord,
  DecodeError,
  RlpError,
  RangeError,
] as const

/** True for an error of a value that is damaged or forged: it may be right in the store by now. */
export const isOfWrongValue = (error: unknown): boolean => WRONG_VALUE.some(kind => error instanceof kind)

/** The error of a wrong value in a reader's words: it has no views and no folder that somebody could delete. */
export const faultOf = (error: unknown): unknown => {
  if (error instanceof StoreCorruption)
    return new ReplicaFault(`has a damaged value (${error.key}): ${error.reason}`, error)
  if (error instanceof TrieCorruption)
    return new ReplicaFault(`has a damaged or forged state trie (${error.key})`, error)
  if (error instanceof MalformedRecord || error instanceof DecodeError || error instanceof RlpError)
    return new ReplicaFault('has a damaged or forged value that cannot be decoded', error)
  return error
}

/** What the servers and their clients say, in a reader's words. */
const FAILURES: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/WRONGPASS|NOAUTH|NOPERM|password authentication|permission denied/i, 'refuses the user of this reader'],
  [/LOADING/, 'is still loading its data'],
  [/relation .* does not exist/, 'has no table of a chain'],
  [/longer than|more than|nests deeper/, 'answers more than was asked for'],
]

const failureOf = (error: unknown): ReplicaFault => {
  if (error instanceof ReplicaFault) return error
  const known = knownConnectionFailure(error)
  if (known !== undefined) return new ReplicaFault(`cannot be read: ${known}`, error)
  const text = String(error)
  const reason = FAILURES.find(([pattern]) => pattern.test(text))?.[1]
  return new ReplicaFault(reason ?? 'cannot be read: it answers with an error', error)
}

const named = async <Value>(read: Promise<Value>): Promise<Value> => {
  try {
    return await read
  } catch (error) {
    throw failureOf(error)
  }
}

/** A shared store whose failed reads are ReplicaFaults, with the error of its client as their cause. */
export const withNamedFailures = (kv: KeyValueStore): KeyValueStore => {
  const { getMany } = kv
  return {
    ...kv,
    get: key => named(kv.get(key)),
    getMany: getMany && (keys => named(getMany(keys))),
  }
}

/** How long a fault of a request is a reason not to be ready: the store may have been repaired, and nobody has asked since. */
const FAULT_SHOWN_MS = 15_000

/** The last fault that a request met. */
export type FaultReport = {
  readonly note: (error: unknown) => void
  readonly reason: () => string | undefined
}

export const createFaultReport = (nowMs: () => number): FaultReport => {
  let last: { readonly reason: string; readonly atMs: number } | undefined
  return {
    note: error => {
      if (error instanceof ReplicaFault || error instanceof NotProved)
        last = { reason: error.message, atMs: nowMs() }
    },
    reason: () => (last !== undefined && nowMs() - last.atMs < FAULT_SHOWN_MS ? last.reason : undefined),
  }
}
