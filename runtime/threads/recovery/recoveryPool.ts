import { availableParallelism } from 'node:os'
import type { Address } from '../../../core/bytes/bytes.ts'
import { exclusiveTurn } from '../../scheduler.ts'
import { encodeRecoveries, type Recovery, recoverEncoded, decodeAnswers } from './signatureBuffers.ts'
import { type RecoveryThread, startRecoveryThread } from './recoveryThread.ts'

/** Maximum signatures per chunk: a few milliseconds of work, so that the main thread stays responsive between chunks. */
const CHUNK_SIZE_MAX = 8

/** Chunks queued at a thread, so that it continues while the main thread works on a chunk. */
const CHUNKS_AHEAD = 4

/** Signatures per chunk of a batch that is needed later: a message costs as much as recovering one. */
const LATER_CHUNK_SIZE = 16

/** Smaller batches, together with others of the same turn, are recovered on the main thread: handing them over takes as long. */
const WORKER_BATCH_MIN = 8

/** Maximum threads by default; the rest of the machine is left to the other work of the node. */
const WORKERS_MAX = 4

/** Maximum pending signatures over all batches: about forty full blocks, 12 MB. */
export const RECOVERIES_PENDING_MAX = 65_536

export type RecoveryPoolOptions = {
  /**
   * Number of worker threads; default: one less than the machine's cores, at most 4. With 0 the main thread does all work.
   */
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
  /** As `recover`, for signers that are needed later: the main thread leaves them to the others until `hurry`. */
  readonly recoverLater: (batch: readonly Recovery[]) => LaterSigners
  /** Stops the threads. The main thread finishes pending batches and handles later ones. */
  readonly close: () => Promise<void>
}

export type LaterSigners = {
  readonly signers: Promise<(Address | undefined)[]>
  /** Called when the caller waits for the signers: from then on the main thread takes part. */
  readonly hurry: () => void
}

/** A part of a batch and its callbacks. */
type Chunk = {
  readonly recoveries: readonly Recovery[]
  readonly settle: (answers: Uint8Array) => void
  readonly fail: (cause: unknown) => void
}

/** The chunks of a batch that no thread has; the main thread takes none of them while it `isForLater`. */
type Batch = { readonly chunks: Chunk[]; isForLater: boolean }

/** A batch that waits for others of the same turn. */
type SmallBatch = {
  readonly batch: readonly Recovery[]
  readonly settle: (signers: (Address | undefined)[]) => void
  readonly fail: (cause: unknown) => void
}

/** A thread and the chunks it was sent; it answers in order. */
type Member = { readonly thread: RecoveryThread; readonly sent: Chunk[]; isReady: boolean }

type PoolState = {
  readonly workers: number
  readonly onWorkerFailure: (cause: unknown) => void
  /**
   * None of them empty. The batches take turns: a proposal of a block, or some gossiped transactions, do not wait for the
   * hundreds of a JSON-RPC batch.
   */
  readonly batches: Batch[]
  /** Those of this turn: a download recovers many blocks of a few transactions each. */
  readonly small: SmallBatch[]
  /** Undefined until the first large batch. */
  members: readonly Member[] | undefined
  /** Whether the main thread recovers chunks. */
  isMainBusy: boolean
  /** Signatures of all batches in progress. */
  pending: number
}

const defaultWorkers = (): number => Math.min(availableParallelism() - 1, WORKERS_MAX)

const queue = ({ batches }: PoolState, batch: Batch): void => {
  if (batch.chunks.length > 0) batches.push(batch)
}

const takeChunk = (pool: PoolState, index: number): Chunk | undefined => {
  const [batch] = pool.batches.splice(index, 1)
  const chunk = batch?.chunks.shift()
  if (batch !== undefined) queue(pool, batch)
  return chunk
}

/** The next batch that the main thread works on; -1 if there is none. */
const indexForMain = ({ batches, members = [] }: PoolState): number =>
  batches.findIndex(({ isForLater }) => !isForLater || members.length === 0)

const recoverHere = (chunk: Chunk): void => {
  try {
    chunk.settle(recoverEncoded(encodeRecoveries(chunk.recoveries)))
  } catch (cause) {
    chunk.fail(cause)
  }
}

/** Sends chunks to a thread until it has `ahead` of them. */
const assignChunks = (pool: PoolState, { thread, sent, isReady }: Member, ahead = CHUNKS_AHEAD): void => {
  if (!isReady) return
  while (sent.length < ahead) {
    const chunk = takeChunk(pool, 0)
    if (chunk === undefined) return
    sent.push(chunk)
    const encoded = encodeRecoveries(chunk.recoveries)
    thread.ref()
    thread.send(encoded, [encoded.buffer])
  }
}

/** Recovers chunks on the main thread until it has no more to do, one per tick of the event loop. */
const workHere = async (pool: PoolState): Promise<void> => {
  if (pool.isMainBusy) return
  pool.isMainBusy = true
  while (indexForMain(pool) >= 0) {
    await exclusiveTurn()
    const index = indexForMain(pool)
    const chunk = index < 0 ? undefined : takeChunk(pool, index)
    if (chunk !== undefined) recoverHere(chunk)
  }
  pool.isMainBusy = false
}

/** Removes a thread that has died or is stopping; its chunks are queued again. */
const removeMember = (pool: PoolState, member: Member): void => {
  member.isReady = false
  pool.members = pool.members?.filter(other => other !== member)
  queue(pool, { chunks: member.sent.splice(0), isForLater: false })
  void workHere(pool)
}

const startMember = (pool: PoolState): Member => {
  const thread = startRecoveryThread({
    onReady: () => {
      member.isReady = true
      assignChunks(pool, member)
    },
    onMessage: answers => {
      const chunk = member.sent.shift()
      assignChunks(pool, member)
      if (member.sent.length === 0) thread.unref()
      chunk?.settle(answers)
    },
    onFailure: cause => {
      removeMember(pool, member)
      pool.onWorkerFailure(cause)
    },
  })
  const member: Member = { thread, sent: [], isReady: false }
  return member
}

const startMembers = (pool: PoolState): readonly Member[] => {
  const started: Member[] = []
  try {
    while (started.length < pool.workers) started.push(startMember(pool))
  } catch (cause) {
    // The runtime has no (more) worker threads: the main thread continues with those that started.
    pool.onWorkerFailure(cause)
  }
  return started
}

/** Divides a batch into chunks, and queues them. */
const queueBatch = (
  pool: PoolState,
  batch: readonly Recovery[],
  size: number,
  isForLater: boolean,
): { readonly queued: Batch; readonly answers: Promise<Uint8Array[]> } => {
  const queued: Batch = { chunks: [], isForLater }
  const answers: Promise<Uint8Array>[] = []
  for (let at = 0; at < batch.length; at += size)
    answers.push(
      new Promise((settle, fail) => {
        queued.chunks.push({ recoveries: batch.slice(at, at + size), settle, fail })
      }),
    )
  queue(pool, queued)
  return { queued, answers: Promise.all(answers) }
}

const recoverBatch = async (
  pool: PoolState,
  batch: readonly Recovery[],
): Promise<(Address | undefined)[]> => {
  const members = (pool.members ??= startMembers(pool))
  const threads = members.length + 1
  const size = Math.min(CHUNK_SIZE_MAX, Math.ceil(batch.length / threads))
  // The main thread takes its share of a small batch.
  const ahead = Math.min(CHUNKS_AHEAD, Math.ceil(Math.ceil(batch.length / size) / threads))
  const { answers } = queueBatch(pool, batch, size, false)
  for (const member of members) assignChunks(pool, member, ahead)
  void workHere(pool)
  return (await answers).flatMap(decodeAnswers)
}
/** @throws RecoveryPoolFullError */
const counted = async (
  pool: PoolState,
  count: number,
  recover: () => Promise<(Address | undefined)[]>,
): Promise<(Address | undefined)[]> => {
  if (pool.pending + count > RECOVERIES_PENDING_MAX) throw new RecoveryPoolFullError()
  pool.pending += count
  try {
    return await recover()
  } finally {
    pool.pending -= count
  }
}

/** @throws RecoveryPoolFullError */
const recoverCounted = (pool: PoolState, batch: readonly Recovery[]): Promise<(Address | undefined)[]> =>
  counted(pool, batch.length, () => recoverBatch(pool, batch))

const recoverLater = (pool: PoolState, batch: readonly Recovery[]): LaterSigners => {
  let queued: Batch | undefined
  const signers = counted(pool, batch.length, async () => {
    const members = (pool.members ??= startMembers(pool))
    const { queued: own, answers } = queueBatch(pool, batch, LATER_CHUNK_SIZE, true)
    queued = own
    for (const member of members) assignChunks(pool, member)
    void workHere(pool)
    return (await answers).flatMap(decodeAnswers)
  })
  return {
    signers,
    hurry: () => {
      if (queued !== undefined) queued.isForLater = false
      void workHere(pool)
    },
  }
}

const recoverOnMain = (batch: readonly Recovery[]): (Address | undefined)[] =>
  decodeAnswers(recoverEncoded(encodeRecoveries(batch)))

/** Recovers the small batches of a turn as one; on the main thread if they are few, or the pool is full. */
const recoverJoined = async (pool: PoolState): Promise<void> => {
  const joined = pool.small.splice(0)
  const all = joined.flatMap(({ batch }) => batch)
  try {
    const isHere = all.length < WORKER_BATCH_MIN || pool.pending + all.length > RECOVERIES_PENDING_MAX
    const signers = isHere ? recoverOnMain(all) : await recoverCounted(pool, all)
    let at = 0
    for (const { batch, settle } of joined) settle(signers.slice(at, (at += batch.length)))
  } catch (cause) {
    for (const { fail } of joined) fail(cause)
  }
}

const recoverSmall = (pool: PoolState, batch: readonly Recovery[]): Promise<(Address | undefined)[]> =>
  new Promise((settle, fail) => {
    if (pool.small.push({ batch, settle, fail }) === 1) queueMicrotask(() => void recoverJoined(pool))
  })

/** Recovers signers in batches on worker threads and the main thread. Threads start with the first large batch. */
export const createRecoveryPool = (options: RecoveryPoolOptions = {}): RecoveryPool => {
  const pool: PoolState = {
    workers: options.workers ?? defaultWorkers(),
    onWorkerFailure: options.onWorkerFailure ?? (() => undefined),
    batches: [],
    small: [],
    members: undefined,
    isMainBusy: false,
    pending: 0,
  }
  return {
    recover: batch =>
      batch.length < WORKER_BATCH_MIN ? recoverSmall(pool, batch) : recoverCounted(pool, batch),
    recoverLater: batch => recoverLater(pool, batch),
    close: async () => {
      const stopping = pool.members ?? []
      pool.members = []
      for (const member of stopping) removeMember(pool, member)
      await Promise.all(stopping.map(({ thread }) => thread.stop()))
    },
  }
}

export class RecoveryPoolFullError extends Error {
  override readonly name = 'RecoveryPoolFullError'
  readonly code = 'RECOVERY_POOL_FULL'
  constructor() {
    super(`more than ${RECOVERIES_PENDING_MAX} signatures are pending; send them again later`)
  }
}
