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
  /** Removes the versions of that block and of later ones, which no other block follows. @param keys all that they changed */
  removeFrom(keys: Iterable<string>, block: number): void
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

/** The encoded versions of all keys, in the order of the blocks. */
type VersionLog<Value> = {
  end(): Position
  add(previous: Position | undefined, block: number, value: Value): Position
  /** Positions the reader at the value of a version. */
  open(version: Position): { readonly previous: Position | undefined; readonly block: number }
  /** Forgets the versions from this position on. */
  truncate(position: Position): void
}

const createVersionLog = <Value>(codec: ValueCodec<Value>): VersionLog<Value> => {
  const chunks: Uint8Array[] = []
  let end: Position = 0
  // One object for all calls: a read opens many versions.
  const opened: { previous: Position | undefined; block: number } = { previous: undefined, block: 0 }
  return {
    end: () => end,
    add: (previous, block, value) => {
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
    },
    open: version => {
      reader.reset(chunks[Math.floor(version / CHUNK_BYTES)] as Uint8Array, version % CHUNK_BYTES)
      const previous = reader.varint()
      opened.previous = previous === 0 ? undefined : previous - 1
      opened.block = reader.varint() - 1
      return opened
    },
    truncate: position => {
      end = position
      chunks.length = Math.ceil(end / CHUNK_BYTES)
    },
  }
}

/** Removes the newest versions of a key. @returns the lowest removed position, or the end */
const removeNewest = (
  newest: Map<string, Position>,
  log: VersionLog<unknown>,
  key: string,
  first: number,
): Position => {
  let version = newest.get(key)
  let lowest = log.end()
  while (version !== undefined) {
    const { previous, block } = log.open(version)
    // The version before all changes came with the first of them.
    if (block !== BEFORE && block < first) break
    lowest = version
    version = previous
  }
  if (version === undefined) newest.delete(key)
  else newest.set(key, version)
  return lowest
}

export const createVersions = <Value>(codec: ValueCodec<Value>): Versions<Value> => {
  const newest = new Map<string, Position>()
  const log = createVersionLog(codec)
  return {
    put: (key, block, before, after) => {
      const begun = log.end()
      let last = newest.get(key)
      const isNew = last === undefined
      // There is no state before genesis.
      if (isNew && block > 0) last = log.add(undefined, BEFORE, before)
      newest.set(key, log.add(last, block, after))
      return log.end() - begun + (isNew ? KEY_BYTES : 0)
    },
    removeFrom: (keys, block) => {
      let lowest = log.end()
      for (const key of keys) lowest = Math.min(lowest, removeNewest(newest, log, key, block))
      log.truncate(lowest)
    },
    find: (key, block) => {
      let version = newest.get(key)
      while (version !== undefined) {
        const opened = log.open(version)
        if (opened.block <= block) return version
        version = opened.previous
      }
      return undefined
    },
    isBefore: version => log.open(version).block === BEFORE,
    valueOf: version => {
      log.open(version)
      return codec.read(reader)
    },
    keys: () => newest.keys(),
    historyOf: key => {
      const changes: PastValue<Value>[] = []
      let { previous, block } = log.open(newest.get(key) as Position)
      const value = codec.read(reader)
      while (previous !== undefined) {
        const opened = { ...log.open(previous) }
        changes.push({ block, before: codec.read(reader) })
        ;({ previous, block } = opened)
      }
      return { value, changes: changes.reverse() }
    },
  }
}
