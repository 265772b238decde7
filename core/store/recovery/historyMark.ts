import { checkedValue, StoreCorruption, withChecksum } from '../checksum.ts'
import { createReader, otherVersion } from '../codec/reader.ts'
import { createWriter } from '../codec/writer.ts'
import type { KeyValueStore } from '../keyvalue/keyvalue.ts'
import type { FlushedHeight } from '../flushing/flushedHeight.ts'
import { historyMarkKey, REMOVED_KEY, segmentKey } from '../keys.ts'

/*
 * The start of the history is durable in two slots before anything below it is removed. Either slot alone tells it after the
 * other one was damaged; a stop between the two writes leaves the earlier start, below which nothing was removed yet.
 */

/** First byte of the stored values. */
const MARK_VERSION = 1
const SLOTS = 2

const LOST =
  'stop the node and put back the folder of the chain from a backup; or delete it: the node then fetches the whole chain from its peers. Leave the key and the folder validator as they are'

type Reads = Pick<KeyValueStore, 'get'>
type ViewsHeight = Pick<FlushedHeight, 'isPruned' | 'number'>

const encode = (key: string, number: number): Uint8Array => {
  const writer = createWriter(16)
  writer.byte(MARK_VERSION)
  writer.varint(number)
  return withChecksum(key, writer.finish())
}

const decode = (bytes: Uint8Array): number => {
  const reader = createReader(bytes)
  const version = reader.byte()
  if (version !== MARK_VERSION) throw otherVersion('the start of the history has', version, MARK_VERSION)
  const number = reader.varint()
  reader.end()
  return number
}

/** The start by the readable slots; undefined without one. @throws StoreCorruption when a slot that counts is damaged */
const readSlots = async (kv: Reads): Promise<number | undefined> => {
  let start: number | undefined
  let damaged: string | undefined
  for (let slot = 0; slot < SLOTS; slot++) {
    const key = historyMarkKey(slot)
    const stored = await kv.get(key)
    if (stored === undefined) continue
    const bytes = checkedValue(key, stored)
    if (bytes === undefined) damaged = key
    else start = Math.max(start ?? 0, decode(bytes))
  }
  // The first write of the first slot may have been torn: the second one, written later, is then missing.
  if (start === undefined && damaged === historyMarkKey(1))
    throw new StoreCorruption(damaged, 0, 'its checksum does not match', LOST)
  return start
}

/** The first block that may still be stored: all below, without the genesis block, were removed. */
export const readRemovedTo = async (kv: Reads): Promise<number> => {
  const bytes = checkedValue(REMOVED_KEY, await kv.get(REMOVED_KEY))
  return bytes === undefined ? 1 : decode(bytes)
}

/** Whether blocks were removed. The height alone does not tell: it is marked before the start of the history is written. */
const wereBlocksRemoved = async (kv: Reads, height: ViewsHeight | undefined): Promise<boolean> => {
  if ((await readRemovedTo(kv)) > 1) return true
  if (height?.isPruned !== true || height.number < 1) return false
  return (await kv.get(segmentKey(1))) === undefined
}

/**
 * The first block that is kept besides the genesis block; 0 while all are.
 * @param height of the views; undefined while they are empty
 * @throws StoreCorruption when no slot tells it although blocks were removed; MalformedRecord for a slot of another version
 */
export const readHistoryStart = async (kv: Reads, height: ViewsHeight | undefined): Promise<number> => {
  const start = await readSlots(kv)
  if (start !== undefined) return start
  if (await wereBlocksRemoved(kv, height))
    throw new StoreCorruption(
      historyMarkKey(0),
      1,
      'it is missing, and old blocks were removed (--prune-history)',
      LOST,
    )
  return 0
}

/** Resolves when the start is durable in both slots. */
export const writeHistoryStart = async (kv: KeyValueStore, start: number): Promise<void> => {
  for (let slot = 0; slot < SLOTS; slot++) {
    const key = historyMarkKey(slot)
    await kv.setDurably({ key, value: encode(key, start) })
  }
}

/** Not synced: the blocks after an earlier value are removed again, which changes nothing. */
export const writeRemovedTo = (kv: KeyValueStore, number: number): Promise<void> =>
  kv.set([{ key: REMOVED_KEY, value: encode(REMOVED_KEY, number) }])
