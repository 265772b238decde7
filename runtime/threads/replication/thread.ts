import { errorText } from '../../../core/text/errorText.ts'
import type { Log } from '../../logging/log.ts'
import { STOP_MS_MAX } from '../../replicate/limits.ts'
import type { ReplicaStatus, ReplicatedChain } from '../../replicate/replication.ts'
import type { ReplicaTarget } from '../../replicate/targets.ts'
import { startThread, type Thread } from '../startThread.ts'
import type { FromReplication, ReplicationSetup, ToReplication } from './protocol.ts'

/** Time after which a thread that failed is started again. */
const RESTART_MS = 5_000

export type ReplicationThread = {
  readonly status: () => readonly ReplicaStatus[]
  readonly stop: () => Promise<void>
}

export type ReplicationThreadOptions = {
  readonly chain: ReplicatedChain
  readonly targets: readonly ReplicaTarget[]
  readonly log: Log
}

type State = ReplicationThreadOptions & {
  thread: Thread<ToReplication> | undefined
  replicas: readonly ReplicaStatus[]
  timer: ReturnType<typeof setTimeout> | undefined
  isStopped: boolean
}

type BlockRequest = Extract<FromReplication, { readonly kind: 'request' }>

const answer = async ({ chain, thread }: State, { id, what, number }: BlockRequest): Promise<void> => {
  try {
    const bytes = await (what === 'record' ? chain.recordBytes(number) : chain.hashOf(number))
    thread?.send({ kind: 'answer', id, bytes })
  } catch (error) {
    thread?.send({ kind: 'refusal', id, reason: errorText(error) })
  }
}

const onMessage = (state: State, message: FromReplication): void => {
  switch (message.kind) {
    case 'request':
      void answer(state, message)
      return
    case 'status':
      state.replicas = message.replicas
      return
    case 'log':
      state.log[message.level](message.text, message.values)
  }
}

const start = (state: State): void => {
  const { chain, targets, log } = state
  const workerData: ReplicationSetup = {
    storages: targets.map(({ storage }) => storage),
    genesisHash: chain.genesisHash,
    headNumber: chain.headNumber(),
  }
  const fail = (cause: unknown): void => {
    state.thread = undefined
    log.error('The thread that fills the replicas has failed: {cause}. It starts again in {seconds} s', {
      cause,
      seconds: RESTART_MS / 1000,
    })
    if (!state.isStopped) state.timer = setTimeout(() => start(state), RESTART_MS)
  }
  try {
    state.thread = startThread<ToReplication, FromReplication>(
      'replication thread',
      new URL('./worker.ts', import.meta.url),
      {
        workerData,
        stopMsMax: 2 * STOP_MS_MAX,
        onReady: () => state.thread?.send({ kind: 'head', number: chain.headNumber() }),
        onMessage: message => onMessage(state, message),
        onFailure: fail,
      },
    )
  } catch (cause) {
    fail(cause)
  }
}

/**
 * Copies the chain into each target on a thread of its own: decoding large blocks, their tries and the protocols of the
 * stores would keep the thread that commits blocks for tens of milliseconds at a time.
 */
export const startReplicationThread = (options: ReplicationThreadOptions): ReplicationThread => {
  const { chain, targets } = options
  const head = (): number => Number(chain.headNumber())
  const state: State = {
    ...options,
    thread: undefined,
    replicas: targets.map(({ name }) => ({
      target: name,
      height: -1,
      blocks: head() + 1,
      seconds: 0,
      reason: undefined,
    })),
    timer: undefined,
    isStopped: false,
  }
  start(state)
  const unsubscribe = chain.onHead(() => state.thread?.send({ kind: 'head', number: chain.headNumber() }))
  return {
    // The head is known here first.
    status: () =>
      state.replicas.map(replica => ({ ...replica, blocks: Math.max(0, head() - replica.height) })),
    stop: async () => {
      state.isStopped = true
      clearTimeout(state.timer)
      unsubscribe()
      await state.thread?.stop()
    },
  }
}
