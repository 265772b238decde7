import { parentPort, workerData } from 'node:worker_threads'
import { useCryptoEngine } from '../../../core/crypto/crypto.ts'
import { loadWasmEngine } from '../../../core/crypto/wasm/engine.ts'
import { useTableSeed } from '../../../core/state/hash.ts'
import { decodeChainHead } from '../../../core/store/codec/chainHead.ts'
import { CALL_METHODS } from '../../../handlers/graphql/callMethods.ts'
import { bodyLength, type Outcome, textOf } from '../../../handlers/rpc/dispatch/envelope.ts'
import { RpcError } from '../../../handlers/rpc/dispatch/errors.ts'
import { isJsonPieces } from '../../../handlers/rpc/json/jsonPieces.ts'
import type { Params } from '../../../handlers/rpc/methods/method.ts'
import { METHODS } from '../../../handlers/rpc/methods/methodTable.ts'
import { createRunner } from '../../../handlers/rpc/dispatch/runner.ts'
import { createAnswerReader } from './answerBuffer.ts'
import { createRemoteStore, type PinnedHead } from './remoteStore.ts'
import { createStoreClient } from './storeClient.ts'
import type { FromCallWorker, WorkerCall, CallWorkerSetup } from './protocol.ts'
import { packPieces, packText } from './packed.ts'
import { createCallContext } from './callContext.ts'

/** Gas between two checks for cancellation: a few milliseconds. */
const WATCH_GAS = 1_000_000

/** Maximum characters of a result that is sent as text. */
const TEXT_LENGTH_MAX = 64 * 1024

const port = parentPort
if (port === null) throw new Error('runtime/threads/calls/worker.ts runs on a worker thread only')
const setup = workerData as CallWorkerSetup
const post = (message: FromCallWorker): void => port.postMessage(message)

// As on the main thread: an unpredictable seed for the hash tables of the state.
useTableSeed(crypto.getRandomValues(new Int32Array(1))[0] as number)
try {
  // Not the native addon: terminating a thread inside it aborts the process on Bun and Node.
  useCryptoEngine(await loadWasmEngine(crypto.getRandomValues(new Uint8Array(32))))
} catch {
  // Without WebAssembly the noble engine, which is the default, stays in use.
}

const answers = createAnswerReader(setup.buffer)
const genesis = decodeChainHead(setup.genesis)
const head: PinnedHead = { current: genesis }
let current = 0
let { minGasPrice } = setup.options
const expired = (): boolean => answers.isEnded(current)
const watch = {
  gas: WATCH_GAS,
  check: (): void => {
    if (expired()) throw new RpcError('TIMEOUT')
  },
}
const store = createRemoteStore(createStoreClient(answers, post), head, watch)
const context = createCallContext(
  setup,
  genesis,
  store,
  () => head.current,
  () => minGasPrice,
  (method, error) =>
    post({
      kind: 'fault',
      method,
      text: error instanceof Error ? (error.stack ?? error.message) : String(error),
    }),
)
const rows = new Map([...METHODS, ...CALL_METHODS].map(row => [row.name, row]))
const runner = createRunner(METHODS, context)

/** Encodes the result here, so that the main thread only forwards it. */
const sendOutcome = (id: number, outcome: Outcome): void => {
  if ('error' in outcome) return post({ kind: 'outcome', id, outcome })
  const result = 'result' in outcome ? outcome.result : undefined
  const isLong = isJsonPieces(result) && bodyLength(result.pieces) > TEXT_LENGTH_MAX
  const resultText = isLong ? '' : textOf(outcome)
  if (!isLong && resultText.length <= TEXT_LENGTH_MAX)
    return post({ kind: 'outcome', id, outcome: { resultText } })
  const packed = isLong ? packPieces(result.pieces) : packText(resultText)
  port.postMessage(
    { kind: 'outcome', id, outcome: { packed } } satisfies FromCallWorker,
    packed.map(({ packed: { buffer } }) => buffer),
  )
}

const run = async (call: WorkerCall): Promise<void> => {
  const { id, method, params, head: at } = call
  current = id
  head.current = decodeChainHead(at)
  minGasPrice = call.minGasPrice
  const row = rows.get(method)
  if (row === undefined) throw new Error(`no method ${method}`)
  const outcome = await runner.run(row, { params: JSON.parse(params) as Params, expired })
  sendOutcome(id, outcome)
}

port.on('message', (call: WorkerCall) => void run(call))
post({ kind: 'ready' })
