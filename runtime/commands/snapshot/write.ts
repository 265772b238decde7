import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { finished } from 'node:stream/promises'
import type { Chain } from '../../../core/chain/chain.ts'
import { createFrameWriter, type Frame, MAGIC } from '../../../core/store/snapshot/frames.ts'
import { encodeSnapshotHeader } from '../../../core/store/snapshot/header.ts'
import { CommandError } from '../../cli/errors.ts'

export type SnapshotSource = Pick<Chain, 'store' | 'genesis' | 'configuration'>

const syncFile = async (path: string): Promise<void> => {
  const file = await open(path, 'r+')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

/**
 * Writes the blocks up to `number` with their state changes, one record in memory at a time.
 * @param pause resolves when other work has run
 * @throws CommandError for a block that the store does not have
 */
export const writeSnapshot = async (
  { store, genesis, configuration }: SnapshotSource,
  number: bigint,
  path: string,
  {
    pause,
    onBlock,
  }: { readonly pause: () => Promise<void> | undefined; readonly onBlock: (number: bigint) => void },
): Promise<void> => {
  const last = await store.chainHead(number)
  if (last === undefined) throw new CommandError('EXPORT', `Block ${number} is not on the chain`)
  const output = createWriteStream(path, { mode: 0o600 })
  const closed = finished(output)
  // Awaited below; without this an earlier failure would be an unhandled rejection.
  closed.catch(() => undefined)
  const write = async (bytes: Uint8Array): Promise<void> => {
    if (!output.write(bytes)) await Promise.race([once(output, 'drain'), closed])
  }
  const encode = createFrameWriter()
  const writeFrame = async (frame: Frame): Promise<void> => {
    for (const part of encode(frame)) await write(part)
  }
  try {
    await write(MAGIC)
    const { chainId } = configuration
    const header = { chainId, genesisHash: genesis.hash, number, hash: last.hash }
    await writeFrame({ kind: 'header', payload: encodeSnapshotHeader(header) })
    for (let block = 1n; block <= number; block++) {
      const record = await store.recordBytes(block)
      if (record === undefined) throw new CommandError('EXPORT', `Block ${block} is not in the store`)
      await writeFrame({ kind: 'block', payload: record })
      onBlock(block)
      await pause()
    }
    await writeFrame({ kind: 'end', payload: new Uint8Array(0) })
    output.end()
    await closed
  } catch (cause) {
    output.destroy()
    throw cause
  }
  await syncFile(path)
}
