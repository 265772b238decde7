import { errorText } from '../../core/text/errorText.ts'
import { ReplicaFault } from '../../core/store/replica/errors.ts'
import { equalBytes } from '../../core/bytes/bytes.ts'
import { toHex } from '../../core/bytes/hex.ts'
import type { KeyValueStore } from '../../core/store/keyvalue/keyvalue.ts'
import { REPLICA_KEY } from '../../core/store/keys.ts'
import { decodeReplicaHead } from '../../core/store/replica/replicaHead.ts'
import type { ReplicaSnapshot } from '../../core/store/replica/readStore.ts'
import type { ChainHead } from '../../core/store/store.ts'
import { faultOf } from './faults.ts'

export type HeadFollowerOptions = {
  readonly kv: Pick<KeyValueStore, 'get'>
  readonly genesis: ChainHead
  /** Checks a head before it is used. @throws the reason why it must not be */
  readonly verify: (head: ChainHead) => Promise<void>
  /** A head that was read less long ago is not read again. */
  readonly ttlMs: number
  /** False where each request must read by itself, because it cannot wait for another request's read. */
  readonly sharesReads?: boolean
  /** A store that is silent for longer is a reason of its own; undefined where the request that waits has a limit. */
  readonly waitMsMax?: number
  readonly nowMs: () => number
}

/** The head of a replica, as far as it was read. It never goes back. */
export type HeadFollower = {
  /** Undefined until a head was read. */
  readonly current: () => ReplicaSnapshot | undefined
  /** Reads the head unless it was read lately: undefined, or a promise that never rejects. */
  readonly refresh: () => Promise<void> | undefined
  /** Why the head may be an old one; undefined when the last read succeeded. */
  readonly reason: () => string | undefined
  /** Called with each new head. Returns the function that unsubscribes. */
  readonly onHead: (listener: (head: ChainHead) => void) => () => void
}

/** The state of the follower: the head in use, and the outcome of the last read. */
type State = HeadFollowerOptions & {
  readonly listeners: Set<(head: ChainHead) => void>
  current: ReplicaSnapshot | undefined
  /** The stored form that `current` was decoded from, or that was refused. */
  stored: Uint8Array | undefined
  readAtMs: number | undefined
  reason: string | undefined
  reading: Promise<void> | undefined
}

/** @throws the reason why a reader of this chain must not use it */
const requireUsable = ({ current, genesis }: State, replica: ReplicaSnapshot): void => {
  if (!equalBytes(replica.genesisHash, genesis.hash))
    throw new ReplicaFault(
      `is not followed: it holds the chain of genesis block ${toHex(replica.genesisHash)}, the genesis file defines ${toHex(genesis.hash)}`,
    )
  if (current === undefined) return
  const [before, next] = [current.head, replica.head]
  if (next.header.number < before.header.number)
    throw new ReplicaFault(
      `is not followed: it has block ${next.header.number} as its head, and had block ${before.header.number} before`,
    )
  if (next.header.number === before.header.number && !equalBytes(next.hash, before.hash))
    throw new ReplicaFault(`is not followed: it has another block ${next.header.number} than before`)
}

const read = async (state: State): Promise<void> => {
  const before = state.current
  /** Another request's read has moved the head meanwhile: this one may have an earlier head. */
  const isOvertaken = (): boolean => state.current !== before
  const stored = await state.kv.get(REPLICA_KEY)
  if (isOvertaken()) return
  if (stored === undefined) throw new ReplicaFault('is not followed: it is empty')
  const isSame = state.stored !== undefined && equalBytes(stored, state.stored)
  if (isSame && state.reason === undefined) return
  const { head, ...rest } = decodeReplicaHead(stored)
  if (head === undefined) throw new ReplicaFault('is not followed: it has no block yet')
  const replica: ReplicaSnapshot = { ...rest, head }
  requireUsable(state, replica)
  const isNew = state.current === undefined || head.header.number > state.current.head.header.number
  if (isNew) await state.verify(head)
  if (isOvertaken()) return
  state.stored = stored
  if (!isNew) return
  state.current = replica
  for (const listener of state.listeners) listener(head)
}

/** Ends the wait for a silent store; its late answer is used all the same. @throws ReplicaFault */
const readInTime = async (state: State): Promise<void> => {
  const { waitMsMax } = state
  if (waitMsMax === undefined) return read(state)
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new ReplicaFault(`has not answered for ${waitMsMax / 1000} s`)),
      waitMsMax,
    )
  })
  try {
    await Promise.race([read(state), late])
  } finally {
    clearTimeout(timer)
  }
}

const readOnce = async (state: State): Promise<void> => {
  try {
    await readInTime(state)
    state.reason = undefined
  } catch (error) {
    state.reason = errorText(faultOf(error))
  }
  state.readAtMs = state.nowMs()
}

export const createHeadFollower = (options: HeadFollowerOptions): HeadFollower => {
  const state: State = {
    ...options,
    listeners: new Set(),
    current: undefined,
    stored: undefined,
    readAtMs: undefined,
    reason: undefined,
    reading: undefined,
  }
  return {
    current: () => state.current,
    reason: () => state.reason,
    refresh: () => {
      if (state.readAtMs !== undefined && state.nowMs() - state.readAtMs < state.ttlMs) return undefined
      if (options.sharesReads === false) return readOnce(state)
      state.reading ??= readOnce(state).finally(() => {
        state.reading = undefined
      })
      return state.reading
    },
    onHead: listener => {
      state.listeners.add(listener)
      return () => void state.listeners.delete(listener)
    },
  }
}
