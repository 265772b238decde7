import { equalBytes } from '../../bytes/bytes.ts'
import { runStepsYielding } from '../../steps.ts'
import { CommitRefused } from '../committing/commitCheck.ts'
import type { BlockReader } from '../reading/blockReader.ts'
import type { KeyValueStore } from '../keyvalue/keyvalue.ts'
import { encodeSegmentSteps } from '../segments/segment.ts'
import { storedSegmentSteps, writeSegment } from '../segments/segmentParts.ts'
import type { ChainStore } from '../store.ts'

/** The damaged block records; the fields have the meaning of the ChainStore methods with the same names. */
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

type RepairedStore = {
  readonly kv: KeyValueStore
  readonly blocks: BlockReader
  readonly damage: Damage
  readonly segmentPartBytes: number
}

/** As ChainStore.repair. @throws CommitRefused */
export const repairRecord = async (
  { kv, blocks, damage, segmentPartBytes }: RepairedStore,
  record: Parameters<ChainStore['repair']>[0],
): Promise<void> => {
  const { number } = record.block.header
  const known = await blocks.reads.chainHead(number)
  if (known === undefined || !equalBytes(known.hash, record.hash))
    throw new CommitRefused(`block ${number} of the repair is not the one on the chain`)
  const pause = (): Promise<void> => kv.pause()
  const parts = await runStepsYielding(encodeSegmentSteps({ ...record, nodes: [] }, segmentPartBytes), pause)
  const segment = await runStepsYielding(storedSegmentSteps(Number(number), parts), pause)
  await writeSegment(kv, segment)
  if (damage.damagedFrom === number) damage.damagedFrom = undefined
}
