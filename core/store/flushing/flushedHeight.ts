import type { Hash } from '../../bytes/bytes.ts'
import { checkedValue, withChecksum } from '../checksum.ts'
import { createReader, otherVersion, type Reader } from '../codec/reader.ts'
import { createWriter, type Writer } from '../codec/writer.ts'
import type { KeyValueStore } from '../keyvalue/keyvalue.ts'
import { flushedHeightKey } from '../keys.ts'

/*
 * First byte of the stored flushed height; views of an unknown version are refused. Version 1 is read: its releases had no code
 * in parts and kept the restart record in the views, so that they would neither find all code nor what was signed.
 */
const EARLIER_VIEWS_VERSION = 1
const VIEWS_VERSION = 3
/** Of views without a part of their history, which an earlier release would take for whole. */
const PRUNED_VIEWS_VERSION = 2
/** Two slots, written alternately: a torn write leaves the previous height. */
const FLUSHED_HEIGHT_SLOTS = 2

/** The height up to which the views are complete. */
export type FlushedHeight = {
  readonly number: number
  readonly hash: Hash
  readonly genesisHash: Hash
  /** Counts flushes, from 1. */
  readonly sequence: number
  /** True if a part of the history may have been removed. */
  readonly isPruned: boolean
}

export const writeFlushedHeightFields = (
  writer: Writer,
  { number, hash, genesisHash, sequence, isPruned }: FlushedHeight,
): void => {
  writer.byte(isPruned ? PRUNED_VIEWS_VERSION : VIEWS_VERSION)
  writer.varint(number)
  writer.varint(sequence)
  writer.raw(hash)
  writer.raw(genesisHash)
}

const READ_VERSIONS: readonly number[] = [EARLIER_VIEWS_VERSION, PRUNED_VIEWS_VERSION, VIEWS_VERSION]

/** @throws MalformedRecord on another version. */
export const readFlushedHeightFields = (reader: Reader): FlushedHeight => {
  const version = reader.byte()
  if (!READ_VERSIONS.includes(version))
    throw otherVersion(
      'the views have',
      version,
      VIEWS_VERSION,
      ', or stop the node and delete the views (views.sqlite): the next start builds them from the segments',
    )
  const number = reader.varint()
  const sequence = reader.varint()
  const isPruned = version === PRUNED_VIEWS_VERSION
  return { number, sequence, isPruned, hash: reader.copy(32), genesisHash: reader.copy(32) }
}

export const writeFlushedHeight = async (kv: KeyValueStore, flushedHeight: FlushedHeight): Promise<void> => {
  const writer = createWriter(80)
  writeFlushedHeightFields(writer, flushedHeight)
  const key = flushedHeightKey(flushedHeight.sequence % FLUSHED_HEIGHT_SLOTS)
  await kv.set([{ key, value: withChecksum(key, writer.finish()) }])
}

export type StoredHeight = {
  /** The last complete one. */
  readonly flushedHeight: FlushedHeight | undefined
  /** The key of a slot that cannot be read. */
  readonly damaged: string | undefined
  /** True if an earlier release, which does not refuse these views, wrote the last one. */
  readonly isOfEarlierRelease: boolean
}

export const readFlushedHeight = async (kv: Pick<KeyValueStore, 'get'>): Promise<StoredHeight> => {
  let flushedHeight: FlushedHeight | undefined
  let damaged: string | undefined
  let isOfEarlierRelease = false
  for (let slot = 0; slot < FLUSHED_HEIGHT_SLOTS; slot++) {
    const key = flushedHeightKey(slot)
    const stored = await kv.get(key)
    if (stored === undefined) continue
    const bytes = checkedValue(key, stored)
    if (bytes === undefined) damaged = key
    else {
      const found = readFlushedHeightFields(createReader(bytes))
      if (flushedHeight !== undefined && found.sequence < flushedHeight.sequence) continue
      flushedHeight = found
      isOfEarlierRelease = bytes[0] === EARLIER_VIEWS_VERSION
    }
  }
  return { flushedHeight, damaged, isOfEarlierRelease }
}
