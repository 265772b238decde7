import { workerData } from 'node:worker_threads'
import { sharedStoreOf } from '../../drivers/shared.ts'
import { startReplication } from '../../replicate/replication.ts'
import { useWorkerEngine } from '../workerEngine.ts'
import { openWorkerPort } from '../workerPort.ts'
import type { FromReplication, ReplicationSetup, ToReplication } from './protocol.ts'

/** Interval between checks for changes; the main thread knows the head itself. */
const STATUS_MS = 100

const { storages, genesisHash, headNumber } = workerData as ReplicationSetup

type Waiting = {
  readonly resolve: (bytes: Uint8Array | undefined) => void
  readonly reject: (error: Error) => void
}

const waiting = new Map<number, Waiting>()
const listeners = new Set<() => void>()
let head = headNumber
let lastId = 0

const onMessage = (message: ToReplication): void => {
  if (message.kind === 'head') {
    head = message.number
    for (const listener of listeners) listener()
    return
  }
  const { id } = message
  const one = waiting.get(id)
  waiting.delete(id)
  if (message.kind === 'answer') one?.resolve(message.bytes)
  else one?.reject(new Error(message.reason))
}

const { post } = openWorkerPort<FromReplication>(
  (message: ToReplication) => onMessage(message),
  async () => {
    clearInterval(timer)
    await Promise.all(replications.map(({ stop }) => stop()))
  },
)

const requestBlockData = (what: 'record' | 'hash', number: bigint): Promise<Uint8Array | undefined> =>
  new Promise((resolve, reject) => {
    const id = ++lastId
    waiting.set(id, { resolve, reject })
    post({ kind: 'request', id, what, number })
  })

const lineOf =
  (level: 'info' | 'warn' | 'error') =>
  (text: string, values: Record<string, unknown> = {}): void =>
    post({ kind: 'log', level, text, values })

await useWorkerEngine()
const replications = storages.map(storage =>
  startReplication({
    chain: {
      genesisHash,
      headNumber: () => head,
      recordBytes: number => requestBlockData('record', number),
      hashOf: number => requestBlockData('hash', number),
      onHead: listener => {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
    },
    target: sharedStoreOf(storage),
    log: { info: lineOf('info'), warn: lineOf('warn'), error: lineOf('error') },
  }),
)
let sentText = ''
const timer = setInterval(() => {
  const replicas = replications.map(({ status }) => status())
  const text = JSON.stringify(replicas)
  if (text !== sentText) post({ kind: 'status', replicas })
  sentText = text
}, STATUS_MS)
post('ready')
