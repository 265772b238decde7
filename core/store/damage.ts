import { equalBytes } from '../bytes/bytes.ts'
import { withChecksum } from './checksum.ts'
import { CommitRefused } from './commitCheck.ts'
import type { BlockReader } from './reading/blockReader.ts'
import type { KeyValueStore } from './keyvalue.ts'
import { segmentKey } from './keys.ts'
import { encodeSegment } from './segment.ts'
import type { ChainStore } from './store.ts'

/** Damaged block records; see the members of the same name of ChainStore. */
export type Damage = {
  damagedFrom: bigint | undefined
  endedBefore: bigint | undefined
  readonly listeners: Set<(number: bigint) => void>
}

export const createDamage = (damagedFrom: bigint | undefined): Damage => ({
  damagedFrom,
  endedBefore: undefined,
  listeners: new Set(),
})

export const reportDamage = ({ listeners }: Damage, number: bigint): void => {
  for (const listener of listeners) listener(number)
}

/** As ChainStore.repair. @throws CommitRefused */
export const repairRecord = async (
  kv: KeyValueStore,
  blocks: BlockReader,
  damage: Damage,
  record: Parameters<ChainStore['repair']>[0],
): Promise<void> => {
  const { number } = record.block.header
  const known = await blocks.reads.chainHead(number)
  if (known === undefined || !equalBytes(known.hash, record.hash))
    throw new CommitRefused(`block ${number} of the repair is not the one on the chain`)
  const key = segmentKey(Number(number))
  const value = withChecksum(key, encodeSegment({ ...record, nodes: [] }))
  await kv.setDurably({ key, value })
  if (damage.damagedFrom === number) damage.damagedFrom = undefined
}
