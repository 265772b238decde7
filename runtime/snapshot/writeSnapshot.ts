import type { Chain } from '../../core/chain/chain.ts'
import type { YieldTurn } from '../../core/scheduler.ts'
import { runStepsYielding } from '../../core/steps.ts'
import { createFrameWriter, type SnapshotFrame, MAGIC } from '../../core/store/snapshot/frames.ts'
import { encodeSnapshotHeader } from '../../core/store/snapshot/header.ts'
import { CommandError } from '../cli/errors.ts'
import { openSyncedFile, type SyncedFile } from './syncedFile.ts'

export type SnapshotSource = Pick<Chain, 'store' | 'genesis' | 'configuration'>

export type WriteOptions = {
  /** Resolves when other work has run. */
  readonly pause: YieldTurn
  /** Awaited with the length of each part before it is written, to bound the rate. */
  readonly admit?: (bytes: number) => Promise<void> | undefined
  /** Called after each block, with the bytes written so far. @throws to end the writing */
  readonly onBlock: (number: bigint, bytes: number) => void
}

const writeFrames = async (
  { store, genesis, configuration }: SnapshotSource,
  number: bigint,
  file: SyncedFile,
  { pause, admit, onBlock }: WriteOptions,
): Promise<void> => {
  const last = await store.chainHead(number)
  if (last === undefined) throw new CommandError('EXPORT', `Block ${number} is not on the chain`)
  const encode = createFrameWriter()
  const writeFrame = async (frame: SnapshotFrame): Promise<void> => {
    await admit?.(frame.payload.length)
    for (const part of await runStepsYielding(encode(frame), pause)) await file.write(part)
  }
  await file.write(MAGIC)
  const header = { chainId: configuration.chainId, genesisHash: genesis.hash, number, hash: last.hash }
  await writeFrame({ kind: 'header', payload: encodeSnapshotHeader(header) })
  for (let block = 1n; block <= number; block++) {
    const record = await store.recordBytes(block)
    if (record === undefined) throw new CommandError('EXPORT', `Block ${block} is not in the store`)
    await writeFrame({ kind: 'block', payload: record })
    onBlock(block, file.bytes())
    await pause()
  }
  await writeFrame({ kind: 'end', payload: new Uint8Array(0) })
}

/**
 * Writes the blocks up to `number` with their state changes, one record in memory at a time, while the chain may grow.
 * @returns the bytes of the file, which is on the disk
 * @throws CommandError for a block that the store does not have; the system's error; what `onBlock` throws
 */
export const writeSnapshot = async (
  source: SnapshotSource,
  number: bigint,
  path: string,
  options: WriteOptions,
): Promise<number> => {
  const file = await openSyncedFile(path)
  try {
    await writeFrames(source, number, file, options)
  } catch (cause) {
    await file.abandon()
    throw cause
  }
  await file.close()
  return file.bytes()
}
