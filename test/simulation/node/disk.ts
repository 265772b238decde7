import type { Block } from '../../../core/chain/block.ts'
import type { RestartRecord } from '../../../core/qbft/restartRecord.ts'
import { decodeRestartRecord, encodeRestartRecord } from '../../../core/qbft/restartRecordCodec.ts'
import { createChain, type SimulatedChain } from '../chain/chain.ts'
import type { SimulatedGenesis } from '../chain/genesis.ts'
import type { Random } from '../random.ts'
import type { Scheduler } from '../scheduler.ts'

type Write = { readonly apply: () => void; readonly synced: () => void; done: boolean }

/**
 * What a machine has written. A write lasts once it is synced; of those under way when the machine stops the first ones
 * may have reached the disk and the others not.
 */
export type Disk = {
  readonly chain: SimulatedChain
  /** Read back from its bytes. */
  record(): RestartRecord | undefined
  /** `synced` is called when it lasts, unless the machine stopped. */
  writeRecord(record: RestartRecord, delayMs: number, synced: () => void): void
  /** Puts it on the chain unless something stands there already; `synced` as above. */
  writeBlock(block: Block, delayMs: number, synced: () => void): void
  /** The machine stops now. */
  crash(): void
}

/** `appended` sees each block that comes to stand on the chain. */
export const createDisk = (
  genesis: SimulatedGenesis,
  scheduler: Scheduler,
  random: Random,
  appended: (block: Block) => void,
): Disk => {
  const chain = createChain(genesis)
  let stored: Uint8Array | undefined
  const records: Write[] = []
  const blocks: Write[] = []

  const finish = (write: Write): void => {
    write.done = true
    write.apply()
  }

  const perform = (queue: Write[], write: Write, delayMs: number): void => {
    queue.push(write)
    scheduler.after(delayMs, () => {
      // What was written before is synced with it.
      while (!write.done) {
        const first = queue.shift() as Write
        finish(first)
        first.synced()
      }
    })
  }

  const lose = (queue: Write[]): void => {
    const kept = random.below(queue.length + 1)
    queue.splice(0).forEach((write, index) => {
      if (index < kept) finish(write)
      write.done = true
    })
  }

  return {
    chain,
    record: () => (stored === undefined ? undefined : decodeRestartRecord(stored)),
    writeRecord: (record, delayMs, synced) => {
      const bytes = encodeRestartRecord(record)
      const apply = (): void => {
        stored = bytes
      }
      perform(records, { apply, synced, done: false }, delayMs)
    },
    writeBlock: (block, delayMs, synced) => {
      const apply = (): void => {
        if (block.header.number !== chain.head().header.number + 1n) return
        chain.append(block)
        appended(block)
      }
      perform(blocks, { apply, synced, done: false }, delayMs)
    },
    crash: () => {
      lose(records)
      lose(blocks)
    },
  }
}
