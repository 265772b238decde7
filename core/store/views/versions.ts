import { createReader } from '../codec/reader.ts'
import type { ValueCodec } from '../codec/stateValues.ts'
import { createWriter } from '../codec/writer.ts'
import type { PastValue } from './valueHistory.ts'

/** Size of one chunk; a version, 120 bytes at most, lies within one chunk. */
const CHUNK_BYTES = 64 * 1024
/** Memory per key besides its versions: map slot and string. */
const KEY_BYTES = 160
/** Block number of the version before all changes of the memtable. */
const BEFORE = -1

/** The position of a version in the chunks. */
type Position = number

/**
 * The accounts or slots that recent blocks changed, each with its versions: the value before the first change, and the
 * value after each change. Stored as bytes in the format of the views, because tens of thousands of changes would be five
 * objects each for the garbage collector.
 */
export type Versions<Value> = {
  /** Adds the version after the block. @returns its estimated memory in bytes */
  put(key: string, block: number, before: Value, after: Value): number
  /** The newest version up to the block; undefined for an unknown key. */
  find(key: string, block: number): Position | undefined
  /** True for the version before all changes of this memtable; the views may have a newer one. */
  isBefore(version: Position): boolean
  valueOf(version: Position): Value
  keys(): Iterable<string>
  /** The latest value, and each change in block order. The key must exist. */
  historyOf(key: string): { readonly value: Value; readonly changes: readonly PastValue<Value>[] }
}

/** Shared by all instances, because versions are read and written synchronously. */
const writer = createWriter()
const reader = createReader(new Uint8Array(0))

/** Encodes a version: the position of the previous version plus one, its own block plus one, and the value. */
const encodeVersion = <Value>(
  codec: ValueCodec<Value>,
  previous: Position | undefined,
  block: number,
  value: Value,
): Uint8Array => {
  writer.reset()
  writer.varint(previous === undefined ? 0 : previous + 1)
  writer.varint(block + 1)
  codec.write(writer, value)
  return writer.finish()
}

export const createVersions = <Value>(codec: ValueCodec<Value>): Versions<Value> => {
  const newest = new Map<string, Position>()
  const chunks: Uint8Array[] = []
  let end: Position = 0
  let openedBlock = 0

  const addToHead = (previous: Position | undefined, block: number, value: Value): Position => {
    const bytes = encodeVersion(codec, previous, block, value)
    const room = chunks.length * CHUNK_BYTES - end
    if (bytes.length > room) {
      end += room
      chunks.push(new Uint8Array(CHUNK_BYTES))
    }
    const position = end
    ;(chunks.at(-1) as Uint8Array).set(bytes, position % CHUNK_BYTES)
    end += bytes.length
    return position
  }
  /** Positions the reader at the version's value and sets `openedBlock` to its block. @returns the previous version */
  const open = (version: Position): Position | undefined => {
    reader.reset(chunks[Math.floor(version / CHUNK_BYTES)] as Uint8Array, version % CHUNK_BYTES)
    const previous = reader.varint()
    openedBlock = reader.varint() - 1
    return previous === 0 ? undefined : previous - 1
  }

  return {
    put: (key, block, before, after) => {
      const begun = end
      let last = newest.get(key)
      const isNew = last === undefined
      // There is no state before genesis.
      if (isNew && block > 0) last = addToHead(undefined, BEFORE, before)
      newest.set(key, addToHead(last, block, after))
      return end - begun + (isNew ? KEY_BYTES : 0)
    },
    find: (key, block) => {
      let version = newest.get(key)
      while (version !== undefined) {
        const previous = open(version)
        if (openedBlock <= block) return version
        version = previous
      }
      return undefined
    },
    isBefore: version => {
      open(version)
      return openedBlock === BEFORE
    },
    valueOf: version => {
      open(version)
      return codec.read(reader)
    },
    keys: () => newest.keys(),
    historyOf: key => {
      const changes: PastValue<Value>[] = []
      let previous = open(newest.get(key) as Position)
      let block = openedBlock
      const value = codec.read(reader)
      while (previous !== undefined) {
        previous = open(previous)
        changes.push({ block, before: codec.read(reader) })
        block = openedBlock
      }
      return { value, changes: changes.reverse() }
    },
  }
}
