import type { Block } from '../../../core/block/block.ts'
import type { RestartRecord } from '../../../core/qbft/restart/restartRecord.ts'
import { decodeRestartRecord, encodeRestartRecord } from '../../../core/qbft/restart/restartRecordCodec.ts'
import { createChain, type SimulatedChain } from '../chain/chain.ts'
import type { SimulatedGenesis } from '../chain/genesis.ts'
import type { Random } from '../random.ts'
import type { Scheduler } from '../scheduler.ts'

type Write = { readonly apply: () => void; readonly synced: () => void; done: boolean }

/** What a copy of a data folder holds: the chain up to its head, and the record. */
export type DiskCopy = { readonly head: bigint; readonly record: Uint8Array | undefined }

/**
 * What a machine has written. A write lasts once it is synced; of those under way when the machine stops the first ones
 * may have reached the disk and the others not. A block that is durable `next` is the head before it lasts; as in the
 * product neither another block nor a record is written in the meantime.
 */
export type Disk = {
  readonly chain: SimulatedChain
  /** Read back from its bytes. */
  record(): RestartRecord | undefined
  /** `synced` is called when it lasts, unless the machine stopped. */
  writeRecord(record: RestartRecord, delayMs: number, synced: () => void): void
  /** Puts it on the chain unless something stands there already, and calls `put` then, unless the machine stopped. */
  putBlock(block: Block, durable: 'now' | 'next', delayMs: number, put: () => void): void
  /** As it is now, while the machine runs. */
  copy(): DiskCopy
  /** Puts an old copy, or an empty disk, in its place. The machine is stopped. */
  restore(copy: DiskCopy | undefined): void
  /** The record is gone, and the chain is not. */
  loseRecord(): void
  /** The machine stops now; with its head, where that does not last yet and is not saved by chance. */
  crash(headSaved: number): void
}

/** `appended` sees each block that comes to stand on the chain, `lost` each head that a stop took away. */
export const createDisk = (
  genesis: SimulatedGenesis,
  scheduler: Scheduler,
  random: Random,
  appended: (block: Block) => void,
  lost: () => void,
): Disk => {
  const chain = createChain(genesis)
  let stored: Uint8Array | undefined
  const records: Write[] = []
  const blocks: Write[] = []
  /** What waits until the head lasts; undefined when it does. */
  let waiting: (() => void)[] | undefined

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

  const whenHeadLasts = (run: () => void): void => {
    if (waiting === undefined) run()
    else waiting.push(run)
  }

  const put = (block: Block): boolean => {
    if (block.header.number !== chain.head().header.number + 1n) return false
    chain.append(block)
    appended(block)
    return true
  }

  const lastsAfter = (delayMs: number): void => {
    const mine: (() => void)[] = []
    waiting = mine
    scheduler.after(delayMs, () => {
      if (waiting !== mine) return
      waiting = undefined
      for (const run of mine) whenHeadLasts(run)
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
      whenHeadLasts(() => perform(records, { apply, synced, done: false }, delayMs))
    },
    putBlock: (block, durable, delayMs, done) =>
      whenHeadLasts(() => {
        if (durable === 'now')
          return perform(blocks, { apply: () => void put(block), synced: done, done: false }, delayMs)
        if (put(block)) lastsAfter(delayMs)
        done()
      }),
    copy: () => ({ head: chain.head().header.number, record: stored }),
    restore: copy => {
      stored = copy?.record
      while (chain.head().header.number > (copy?.head ?? 0n)) chain.removeHead()
    },
    loseRecord: () => {
      stored = undefined
    },
    crash: headSaved => {
      lose(records)
      lose(blocks)
      if (waiting === undefined) return
      waiting = undefined
      if (random.chance(headSaved)) return
      chain.removeHead()
      lost()
    },
  }
}
