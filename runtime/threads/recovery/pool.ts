import { availableParallelism } from 'node:os'
import type { Address } from '../../../core/bytes/bytes.ts'
import { packRecoveries, type Recovery, recoverPacked, unpackAnswers } from './packed.ts'
import { nextTurn } from '../../schedule.ts'
import { startWorkerThread, type WorkerThread } from './workerThread.ts'

/** Signatures in a chunk at most: some milliseconds of work, so that the main thread answers others between two of them. */
const CHUNK_SIZE_MAX = 8

/** Chunks a thread is given ahead, so that it goes on while the main thread is in a chunk of its own. */
const CHUNKS_AHEAD = 4

/** Fewer are recovered at once on the main thread: handing them over takes as long. */
const WORKER_BATCH_MIN = 8

/** Recovery is a part of the node's work; more threads than this would take the machine from the rest. */
const WORKERS_MAX = 4

/** Signatures that may wait at once, over all batches: some forty full blocks, 12 MB. */
export const RECOVERIES_PENDING_MAX = 65_536

export type RecoveryPoolOptions = {
  /** Threads beside the main one; by default one less than the machine has cores, at most four. Zero starts none. */
  readonly workers?: number
  /** Told once when threads cannot start or have died; recovery then goes on with what is left. */
  readonly onWorkerFailure?: (cause: unknown) => void
}

export type RecoveryPool = {
  /**
   * The signer of each signature, in order, undefined where it has none.
   * @throws RecoveryPoolFullError when more than RECOVERIES_PENDING_MAX wait.
   */
  readonly recover: (batch: readonly Recovery[]) => Promise<(Address | undefined)[]>
  /** Stops the threads; what is under way is finished on the main thread, and so is what comes after. */
  readonly close: () => Promise<void>
}

/** A part of a batch, and where its answers go. */
type Chunk = {
  readonly recoveries: readonly Recovery[]
  readonly settle: (answers: Uint8Array) => void
  readonly fail: (cause: unknown) => void
}

/** A thread and what it was sent; it answers in order. */
type Member = { readonly thread: WorkerThread; readonly sent: Chunk[]; ready: boolean }

const defaultWorkers = (): number => Math.min(availableParallelism() - 1, WORKERS_MAX)

/** Recovers signers in batches on worker threads beside the main one. Threads start at the first large batch. */
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

  /** Chunks on the main thread, each in a turn of its own, until none is left to take: what led to them filled one already. */
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
      // A runtime that has no worker threads, or no more of them: the main thread recovers with those it got.
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
      // Of a small batch the main thread has its part.
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
    super(`more than ${RECOVERIES_PENDING_MAX} signatures wait for recovery; send them again later`)
  }
}
