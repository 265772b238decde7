import { availableParallelism } from 'node:os'
import type { Address } from '../../../core/bytes/bytes.ts'
import { packRecoveries, type Recovery, recoverPacked, unpackAnswers } from './packed.ts'
import { nextTurn } from '../../schedule.ts'
import { startWorkerThread, type WorkerThread } from './workerThread.ts'

/** Maximum signatures per chunk: a few milliseconds of work, so that the main thread stays responsive between chunks. */
const CHUNK_SIZE_MAX = 8

/** Chunks queued at a thread, so that it continues while the main thread works on a chunk. */
const CHUNKS_AHEAD = 4

/** Smaller batches are recovered on the main thread: handing them over takes as long. */
const WORKER_BATCH_MIN = 8

/** Maximum threads by default; the rest of the machine is left to the other work of the node. */
const WORKERS_MAX = 4

/** Maximum pending signatures over all batches: about forty full blocks, 12 MB. */
export const RECOVERIES_PENDING_MAX = 65_536

export type RecoveryPoolOptions = {
  /** Number of worker threads; default: one less than the machine's cores, at most 4. With 0 the main thread does all work. */
  readonly workers?: number
  /** Called when a thread cannot start or dies; the remaining threads and the main thread continue. */
  readonly onWorkerFailure?: (cause: unknown) => void
}

export type RecoveryPool = {
  /**
   * The signer of each signature, in order, undefined where it has none.
   * @throws RecoveryPoolFullError when more than RECOVERIES_PENDING_MAX wait.
   */
  readonly recover: (batch: readonly Recovery[]) => Promise<(Address | undefined)[]>
  /** Stops the threads. The main thread finishes pending batches and handles later ones. */
  readonly close: () => Promise<void>
}

/** A part of a batch and its callbacks. */
type Chunk = {
  readonly recoveries: readonly Recovery[]
  readonly settle: (answers: Uint8Array) => void
  readonly fail: (cause: unknown) => void
}

/** A thread and the chunks it was sent; it answers in order. */
type Member = { readonly thread: WorkerThread; readonly sent: Chunk[]; ready: boolean }

const defaultWorkers = (): number => Math.min(availableParallelism() - 1, WORKERS_MAX)

/** Recovers signers in batches on worker threads and the main thread. Threads start with the first large batch. */
export const createRecoveryPool = (options: RecoveryPoolOptions = {}): RecoveryPool => {
  const workers = options.workers ?? defaultWorkers()
  const queue: Chunk[] = []
  let members: Member[] | undefined
  let mainBusy = false
  let pending = 0

  const recoverHere = (chunk: Chunk): void => {
    try {
      chunk.settle(recoverPacked(packRecoveries(chunk.recoveries)))
    } catch (cause) {
      chunk.fail(cause)
    }
  }

  const feed = (member: Member, ahead = CHUNKS_AHEAD): void => {
    while (member.ready && member.sent.length < ahead) {
      const chunk = queue.shift()
      if (chunk === undefined) return
      member.sent.push(chunk)
      member.thread.send(packRecoveries(chunk.recoveries))
    }
  }

  /** Recovers chunks on the main thread until the queue is empty, one per tick of the event loop. */
  const workHere = async (): Promise<void> => {
    if (mainBusy) return
    mainBusy = true
    while (queue.length > 0) {
      await nextTurn()
      const chunk = queue.shift()
      if (chunk !== undefined) recoverHere(chunk)
    }
    mainBusy = false
  }

  const dismiss = (member: Member): void => {
    members = members?.filter(other => other !== member)
    queue.unshift(...member.sent.splice(0))
    void workHere()
  }

  const startMember = (): Member => {
    const member: Member = {
      ready: false,
      sent: [],
      thread: startWorkerThread({
        onReady: () => {
          member.ready = true
          feed(member)
        },
        onAnswers: answers => {
          const chunk = member.sent.shift()
          feed(member)
          if (member.sent.length === 0) member.thread.rest()
          chunk?.settle(answers)
        },
        onFailure: cause => {
          dismiss(member)
          options.onWorkerFailure?.(cause)
        },
      }),
    }
    return member
  }

  const startMembers = (): Member[] => {
    const started: Member[] = []
    try {
      while (started.length < workers) started.push(startMember())
    } catch (cause) {
      // The runtime has no (more) worker threads: the main thread continues with those that started.
      options.onWorkerFailure?.(cause)
    }
    return started
  }

  const recoverChunk = (recoveries: readonly Recovery[]): Promise<Uint8Array> =>
    new Promise((settle, fail) => {
      queue.push({ recoveries, settle, fail })
    })

  const recover = async (batch: readonly Recovery[]): Promise<(Address | undefined)[]> => {
    if (batch.length < WORKER_BATCH_MIN) return unpackAnswers(recoverPacked(packRecoveries(batch)))
    if (pending + batch.length > RECOVERIES_PENDING_MAX) throw new RecoveryPoolFullError()
    pending += batch.length
    try {
      members ??= startMembers()
      const threads = members.length + 1
      const size = Math.min(CHUNK_SIZE_MAX, Math.ceil(batch.length / threads))
      const chunks: Promise<Uint8Array>[] = []
      for (let at = 0; at < batch.length; at += size) chunks.push(recoverChunk(batch.slice(at, at + size)))
      // The main thread takes its share of a small batch.
      const ahead = Math.min(CHUNKS_AHEAD, Math.ceil(queue.length / threads))
      for (const member of members) feed(member, ahead)
      void workHere()
      return (await Promise.all(chunks)).flatMap(unpackAnswers)
    } finally {
      pending -= batch.length
    }
  }

  const close = async (): Promise<void> => {
    const leaving = members ?? []
    members = []
    leaving.forEach(dismiss)
    await Promise.all(leaving.map(member => member.thread.stop()))
  }

  return { recover, close }
}

export class RecoveryPoolFullError extends Error {
  override readonly name = 'RecoveryPoolFullError'
  readonly code = 'RECOVERY_POOL_FULL'
  constructor() {
    super(`more than ${RECOVERIES_PENDING_MAX} signatures are pending; send them again later`)
  }
}
