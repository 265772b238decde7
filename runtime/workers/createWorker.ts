import { useCryptoEngine } from '../../core/crypto/crypto.ts'
import { createWasmEngine } from '../../core/crypto/wasm/compiledEngine.ts'
import { useTableSeed } from '../../core/state/hash.ts'
import { useRequestTimers } from '../../handlers/inbound/requestTimers.ts'
import hashes from './modules/hashes.wasm'
import secp256k1 from './modules/secp256k1.wasm'
import { boundedWait } from '../../p2p/boundedWait.ts'
import { HEAD_WAIT_MS } from '../read/limits.ts'
import type { KeyValueStore } from '../../core/store/keyvalue/keyvalue.ts'
import type { WorkerEnvironment, ExecutionContext } from './environment.ts'
import { answerStore } from './storeRoute.ts'
import { SettingsError } from './settings.ts'
import { GenesisError } from '../../core/genesis/error.ts'
import { openIsolateState, type IsolateState, withStore } from './isolateState.ts'
import { reportFailure } from './report.ts'

const STORE = /^\/store\/(\w+)$/

/** Once in an isolate, within a request: outside of one there is no randomness. */
let isPrepared = false
const prepare = (): void => {
  if (isPrepared) return
  isPrepared = true
  useRequestTimers()
  useTableSeed(crypto.getRandomValues(new Int32Array(1))[0] as number)
  useCryptoEngine(createWasmEngine({ hashes, secp256k1 }, crypto.getRandomValues(new Uint8Array(32))))
}

/** A value, never a promise: requests of an isolate cannot wait for each other. */
let opened: IsolateState | undefined

/**
 * Opens the store of a deployment, for one request: a binding of another one must not be used.
 * @param genesisHash of the chain
 * @throws SettingsError where none is bound, or bindings that cannot work together
 */
export type OpenStore = (env: WorkerEnvironment, genesisHash: Uint8Array) => Promise<KeyValueStore>

const answer = async (
  openStore: OpenStore,
  request: Request,
  env: WorkerEnvironment,
  context: ExecutionContext,
): Promise<Response> => {
  prepare()
  const isolate = (opened ??= await openIsolateState(env))
  const kv = await openStore(env, isolate.genesisHead.hash)
  try {
    return await withStore(kv, async () => {
      const { genesisHead, verify, follower } = isolate
      const what = STORE.exec(new URL(request.url).pathname)?.[1]
      // The node that fills a store is told what is stored, not what is cached.
      if (what !== undefined) await kv.forget?.()
      if (what !== undefined)
        return await answerStore(request, what, {
          kv,
          secret: env.STORE_SECRET,
          genesisHash: genesisHead.hash,
          verify: (head, written) => withStore({ ...kv, ...written }, () => verify(head)),
        })
      await boundedWait(follower.refresh() ?? Promise.resolve(), HEAD_WAIT_MS)
      if (follower.current() === undefined)
        return new Response(`${follower.reason() ?? 'the store does not answer'}\n`, { status: 503 })
      return isolate.answer(request, () => request.headers.get('cf-connecting-ip') ?? 'an unknown address')
    })
  } finally {
    context.waitUntil(kv.close())
  }
}

/** What a client is told: what is wrong with the deployment, but nothing of its stores. */
const reasonForAnyone = (error: unknown): string =>
  error instanceof SettingsError || error instanceof GenesisError ? error.message : 'Internal Server Error'

type WorkerHandler = {
  fetch(request: Request, env: WorkerEnvironment, context: ExecutionContext): Promise<Response>
}

/** The Worker: JSON-RPC, GraphQL, /liveness and /readiness over the store of the deployment, and the route that fills it. */
export const createWorker = (openStore: OpenStore): WorkerHandler => ({
  fetch: async (request, env, context) => {
    try {
      return await answer(openStore, request, env, context)
    } catch (error) {
      reportFailure('The request failed', error)
      return new Response(`${reasonForAnyone(error)}\n`, { status: 500 })
    }
  },
})
