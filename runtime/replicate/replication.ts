import { equalBytes, type Hash } from '../../core/bytes/bytes.ts'
import type { Chain } from '../../core/chain/chain.ts'
import type { KeyValueStore } from '../../core/store/keyvalue/keyvalue.ts'
import { HistoryPruned } from '../../core/store/historyPruned.ts'
import { REPLICA_KEY } from '../../core/store/keys.ts'
import {
  decodeReplicaHead,
  heightOf,
  type ReplicaHead,
  WRITER_ID_BYTES,
} from '../../core/store/replica/replicaHead.ts'
import {
  openReplicaWriter,
  ReplicaDiffers,
  ReplicaFenced,
  type ReplicaWriter,
} from '../../core/store/replica/replicaWriter.ts'
import type { SharedStore } from '../drivers/shared.ts'
import { StorageUnavailable } from '../drivers/storageUnavailable.ts'
import { connectionFailureReason } from '../files/reason.ts'
import { createLagReport, type LagReport, type ReplicaLog } from './lagReport.ts'
import {
  BATCH_BLOCKS_MAX,
  BATCH_BYTES_MAX,
  FENCED_CHECK_MS,
  FENCED_SILENCE_MS,
  REPLICATION_RETRY_MS,
  RETRY_MS_MAX,
  STOP_MS_MAX,
} from './limits.ts'
import { createPendingRequests, type PendingRequests } from './pendingRequests.ts'
import { createWait, type Wait } from './wait.ts'

/** How far a replica is behind the chain. */
export type ReplicaStatus = {
  readonly target: string
  /** Its last block as far as known; -1 without blocks. */
  readonly height: number
  /** Blocks of the chain that the replica lacks. */
  readonly blocks: number
  /** Seconds since it last had all blocks. */
  readonly seconds: number
  /** Why it receives no blocks, also while the store is silent; undefined while it does. */
  readonly reason: string | undefined
}

export type Replication = {
  readonly status: () => ReplicaStatus
  readonly stop: () => Promise<void>
}

/** The chain whose blocks are copied. */
export type ReplicatedChain = {
  readonly genesisHash: Hash
  readonly headNumber: () => bigint
  /** The stored record of a block; undefined for one that is not there. */
  readonly recordBytes: (number: bigint) => Promise<Uint8Array | undefined>
  readonly hashOf: (number: bigint) => Promise<Hash | undefined>
  /** Called with each new head. Returns the function that unsubscribes. */
  readonly onHead: (listener: () => void) => () => void
}

/** @throws Error with what to do, for a block that this node has removed; StoreCorruption */
const recordOf = async (store: Chain['store'], number: bigint): Promise<Uint8Array | undefined> => {
  try {
    return await store.recordBytes(number)
  } catch (cause) {
    if (!(cause instanceof HistoryPruned)) throw cause
    throw new Error(
      `the replica needs block ${number}, and this node keeps its blocks from ${cause.historyStart} on (--prune-history): fill it from a node that keeps all blocks`,
      { cause },
    )
  }
}

export const replicatedChain = (
  chain: Pick<Chain, 'head' | 'genesis' | 'store' | 'onHead'>,
): ReplicatedChain => ({
  genesisHash: chain.genesis.hash,
  headNumber: () => chain.head().header.number,
  recordBytes: number => recordOf(chain.store, number),
  hashOf: async number => (await chain.store.chainHead(number))?.hash,
  onHead: listener => chain.onHead(() => listener()),
})

export type ReplicationOptions = {
  readonly chain: ReplicatedChain
  readonly target: SharedStore
  readonly log: ReplicaLog
}

/**
 * State of the replication to one target. There is no queue: blocks are read from the chain when the target takes them.
 */
type State = ReplicationOptions & {
  readonly writerId: Uint8Array
  readonly wait: Wait
  readonly pending: PendingRequests
  readonly report: LagReport
  kv: KeyValueStore | undefined
  /** Height of the replica as far as known; -1 without blocks. */
  height: number
  failures: number
  isFenced: boolean
  isStopped: boolean
}

const headNumber = ({ chain }: State): number => Number(chain.headNumber())

/** The records of the blocks after the replica's head, as many as one write takes; empty when there are none. */
const nextBatch = async (state: State): Promise<readonly Uint8Array[]> => {
  const { chain, height } = state
  const last = Math.min(headNumber(state), height + BATCH_BLOCKS_MAX)
  const segments: Uint8Array[] = []
  let bytes = 0
  for (let number = height + 1; number <= last && bytes < BATCH_BYTES_MAX; number++) {
    const segment = await chain.recordBytes(BigInt(number))
    if (segment === undefined) throw new Error(`block ${number} is missing from the chain of this node`)
    bytes += segment.length
    // A block that is longer than a batch goes alone.
    if (bytes > BATCH_BYTES_MAX && segments.length > 0) break
    segments.push(segment)
  }
  return segments
}

/** Waits while this node is behind the replica. @throws ReplicaDiffers when the replica has another block than the chain */
const requireSameChain = async (state: State, { head }: ReplicaHead): Promise<void> => {
  const { chain, wait, target, log } = state
  if (head === undefined) return
  const { number } = head.header
  if (number > chain.headNumber())
    log.info('The replica {target} has block {number}: this node fills it once it has that block, too', {
      target: target.name,
      number,
    })
  while (number > chain.headNumber() && !state.isStopped) await wait.signal()
  const own = await chain.hashOf(number)
  if (own !== undefined && !equalBytes(own, head.hash))
    throw new ReplicaDiffers(`its block ${number} is another one than that of this node`)
}

const openWriter = async (state: State): Promise<ReplicaWriter> => {
  const { chain, target, writerId, pending } = state
  state.kv ??= pending.watch(await pending.during(target.open()))
  const stored = await state.kv.get(REPLICA_KEY)
  const found = stored === undefined ? undefined : decodeReplicaHead(stored)
  // Before this writer locks out another one, which may well have the right chain. The genesis block is compared below.
  if (found !== undefined && equalBytes(found.genesisHash, chain.genesisHash))
    await requireSameChain(state, found)
  const writer = await openReplicaWriter(state.kv, {
    writer: writerId,
    genesisHash: chain.genesisHash,
    contents: target.consistency === 'immutable' ? 'blocks' : 'chain',
  })
  state.height = heightOf(writer.replica())
  await requireSameChain(state, writer.replica())
  return writer
}

/** Copies blocks until the replication is stopped. @throws what a write throws */
const copy = async (state: State, writer: ReplicaWriter): Promise<void> => {
  const { wait, report } = state
  while (!state.isStopped) {
    const batch = await nextBatch(state)
    if (batch.length === 0) {
      report.caughtUp()
      await wait.signal()
      continue
    }
    report.behind()
    await writer.write(batch)
    state.height = heightOf(writer.replica())
    state.failures = 0
    report.working()
  }
}

/** True where the replica does not have the head of this chain: its writer has something to write. */
const lacksBlocks = (state: State, stored: Uint8Array): boolean =>
  heightOf(decodeReplicaHead(stored)) < headNumber(state)

/** Resolves when the other writer has been silent for FENCED_SILENCE_MS although there are blocks to write. */
const waitForSilence = async (state: State): Promise<void> => {
  let seen: Uint8Array | undefined
  let silentMs = 0
  while (!state.isStopped && silentMs < FENCED_SILENCE_MS) {
    await state.wait.ms(FENCED_CHECK_MS)
    const found = await state.kv?.get(REPLICA_KEY)
    const isSilent =
      found !== undefined && seen !== undefined && equalBytes(found, seen) && lacksBlocks(state, found)
    silentMs = isSilent ? silentMs + FENCED_CHECK_MS : 0
    seen = found
    if (found === undefined) break
  }
  state.isFenced = false
}

const retryMs = (failures: number): number => Math.min(REPLICATION_RETRY_MS * 2 ** failures, RETRY_MS_MAX)

/** In words; an error of the client of a store names no cause. */
const reasonOf = (error: unknown): string =>
  error instanceof StorageUnavailable ? error.message : connectionFailureReason(error)

/**
 * Closes the connection: the next attempt opens another one, which prepares a store that came back empty. A silent server
 * must not delay that.
 */
const disconnect = (state: State): void => {
  const { kv, pending } = state
  state.kv = undefined
  pending.forget()
  kv?.close().catch(() => undefined)
}

/** Reports a failure and waits for the next attempt. */
const recoverFrom = async (state: State, error: unknown): Promise<void> => {
  const { report, wait, kv } = state
  // A removed replica is filled again from the first block; it has no other writer.
  state.isFenced = error instanceof ReplicaFenced && (await wait.settled(kv?.get(REPLICA_KEY))) !== undefined
  report.failed(reasonOf(error), state.isFenced)
  if (state.isFenced) return
  disconnect(state)
  await wait.ms(retryMs(state.failures++))
}

const run = async (state: State): Promise<void> => {
  while (!state.isStopped) {
    try {
      if (state.isFenced) await waitForSilence(state)
      if (state.isStopped) return
      const writer = await openWriter(state)
      state.report.opened(state.height)
      await copy(state, writer)
    } catch (error) {
      if (!state.isStopped) await recoverFrom(state, error)
    }
  }
}

const stop = async (state: State, running: Promise<void>, unsubscribe: () => void): Promise<void> => {
  state.isStopped = true
  unsubscribe()
  state.wait.end()
  state.report.end()
  const late = new Promise<void>(resolve => setTimeout(resolve, STOP_MS_MAX).unref())
  await Promise.race([running, late])
  await Promise.race([Promise.resolve(state.kv?.close()).catch(() => undefined), late])
}

/**
 * Copies all blocks of the chain to a shared store, and each new one as soon as it is committed. A slow or
 * unreachable store delays nothing: its replica is behind until it has caught up, in batches.
 */
export const startReplication = (options: ReplicationOptions): Replication => {
  const { chain, target, log } = options
  const wait = createWait()
  const lag = (): number => Math.max(0, headNumber(state) - state.height)
  const pending = createPendingRequests()
  const report = createLagReport({ target: target.name, lag, silentSeconds: pending.seconds, log })
  const state: State = {
    ...options,
    writerId: crypto.getRandomValues(new Uint8Array(WRITER_ID_BYTES)),
    wait,
    pending,
    report,
    kv: undefined,
    height: -1,
    failures: 0,
    isFenced: false,
    isStopped: false,
  }
  const unsubscribe = chain.onHead(() => wait.wake())
  const running = run(state)
  return {
    status: () => ({
      target: target.name,
      height: state.height,
      blocks: lag(),
      seconds: report.seconds(),
      reason: report.reason(),
    }),
    stop: () => stop(state, running, unsubscribe),
  }
}
