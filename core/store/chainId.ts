import { checkedValue, withChecksum } from './checksum.ts'
import { createReader } from './codec/reader.ts'
import { createWriter } from './codec/writer.ts'
import type { KeyValueStore } from './keyvalue/keyvalue.ts'
import { CHAIN_ID_KEY } from './keys.ts'

/** The recorded chain id; undefined in a store of an earlier release, and where it is damaged: it is then recorded again. */
export const readChainId = async (kv: Pick<KeyValueStore, 'get'>): Promise<bigint | undefined> => {
  const stored = await kv.get(CHAIN_ID_KEY)
  const bytes = stored === undefined ? undefined : checkedValue(CHAIN_ID_KEY, stored)
  return bytes === undefined ? undefined : createReader(bytes).integer()
}

export const writeChainId = async (kv: KeyValueStore, chainId: bigint): Promise<void> => {
  const writer = createWriter(16)
  writer.integer(chainId)
  await kv.set([{ key: CHAIN_ID_KEY, value: withChecksum(CHAIN_ID_KEY, writer.finish()) }])
}
