import { StoreCorruption, verifiedValue, withChecksum } from '../checksum.ts'
import { partsLength, readPartReferences, readParts, writePartReference } from '../codec/partList.ts'
import { createReader } from '../codec/reader.ts'
import { createWriter } from '../codec/writer.ts'
import type { KeyValueEntry, KeyValueStore } from '../keyvalue/keyvalue.ts'
import { codeListKey, codePartKey } from '../keys.ts'
import { CODE_PART_BYTES, CODE_WHOLE_BYTES } from '../limits.ts'

/*
 * Code that a raised `contractSizeLimit` lets grow large is stored in parts, as large segments are: writing, reading and
 * checking 16 MB at once would hold the event loop for more than 50 ms. The list of its parts has a key of its own, because
 * code may begin with any byte.
 */

/**
 * The entries of some code in their stored form: one, or its parts and their list. Each is some milliseconds of work.
 * @param key the key of the code
 */
export function* codeEntries(key: string, code: Uint8Array): Generator<KeyValueEntry> {
  if (code.length <= CODE_WHOLE_BYTES) {
    yield { key, value: withChecksum(key, code) }
    return
  }
  const list = createWriter()
  const count = Math.ceil(code.length / CODE_PART_BYTES)
  list.varint(count)
  for (let index = 0; index < count; index++) {
    const partKey = codePartKey(key, index)
    const start = index * CODE_PART_BYTES
    const value = withChecksum(partKey, code.subarray(start, start + CODE_PART_BYTES))
    writePartReference(list, value)
    yield { key: partKey, value }
  }
  const listKey = codeListKey(key)
  yield { key: listKey, value: withChecksum(listKey, list.finish()) }
}

/** True for the key of a list of parts. */
export const isCodeList = (key: string): boolean => key.startsWith('cl:')

/**
 * Reads the code whose parts are listed under this key, and lets other work run between them; undefined when there is no list.
 * @throws StoreCorruption
 */
export const readListedCode = async (
  kv: KeyValueStore,
  listKey: string,
  block: number,
): Promise<Uint8Array | undefined> => {
  const stored = await kv.get(listKey)
  if (stored === undefined) return undefined
  const list = readPartReferences(createReader(verifiedValue(listKey, stored, block)))
  const code = new Uint8Array(partsLength(list))
  const keyOf = (index: number): string => codePartKey(`c:${listKey.slice(3)}`, index)
  if ((await readParts(kv, list, keyOf, (part, at) => code.set(part, at))) === 'damaged')
    throw new StoreCorruption(listKey, block, 'a part is missing, or its checksum does not match')
  return code
}
