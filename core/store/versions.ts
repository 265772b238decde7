import { createReader } from './codec/reader.ts'
import type { ValueCodec } from './codec/stateValues.ts'
import { createWriter } from './codec/writer.ts'
import type { PastValue } from './history.ts'

/** Of one piece of the versions; a version, some 120 bytes at most, lies in one piece. */
const CHUNK_BYTES = 64 * 1024
/** What a key costs beside its versions: map slot and string. */
const KEY_BYTES = 160
/** Block of the version that a layer found. */
const BEFORE = -1

/** Where a version lies. */
type Position = number

/**
 * Accounts or slots that recent blocks changed, each with its versions: the one that the first change found, and what every
 * change left. They lie in bytes, as they are stored: as objects, tens of thousands of changes are some five each to collect.
 */
export type Versions<Value> = {
  /** Adds the version that the block left. @returns estimate of the memory it takes */
  put(key: string, block: number, before: Value, after: Value): number
  /** The newest version that is not of a later block, undefined for a key that was never put in. */
  find(key: string, block: number): Position | undefined
  /** Whether that version is the one from before all of these changes: there may be later ones below, in the views. */
  isBefore(version: Position): boolean
  valueOf(version: Position): Value
  keys(): Iterable<string>
  /** Value at the end, and each change in the order of blocks. The key must be there. */
  historyOf(key: string): { readonly value: Value; readonly changes: readonly PastValue<Value>[] }
}

/** One of each for all: nothing else runs while a version is read or written. */
const writer = createWriter()
const reader = createReader(new Uint8Array(0))

export const createVersions = <Value>(codec: ValueCodec<Value>): Versions<Value> => {
  const newest = new Map<string, Position>()
  const chunks: Uint8Array[] = []
  let end: Position = 0
  let openedBlock = 0

  /** A version: the position of the one before it and its block, both counted from one, and the value. */
  const addToHead = (previous: Position | undefined, block: number, value: Value): Position => {
    writer.reset()
    writer.varint(previous === undefined ? 0 : previous + 1)
    writer.varint(block + 1)
    codec.write(writer, value)
    const bytes = writer.finish()
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
  /** Leaves the reader at the version's value, and its block in `openedBlock`. @returns the version before it */
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
      // Nothing was before genesis, and nobody asks for it.
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
