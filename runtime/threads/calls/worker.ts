import { workerData } from 'node:worker_threads'
import { useTableSeed } from '../../../core/state/hash.ts'
import { decodeChainHead } from '../../../core/store/codec/chainHead.ts'
import { CALL_METHODS } from '../../../handlers/graphql/callMethods.ts'
import { bodyLength, type Outcome, textOf } from '../../../handlers/rpc/dispatch/envelope.ts'
import { RpcError } from '../../../handlers/rpc/errors.ts'
import { isJsonPieces } from '../../../handlers/rpc/json/jsonPieces.ts'
import type { Params } from '../../../handlers/rpc/method.ts'
import { METHODS } from '../../../handlers/rpc/methods/methodTable.ts'
import { createRunner } from '../../../handlers/rpc/dispatch/runner.ts'
import { startSegmentCompiler } from '../../compiler/segmentCompiler.ts'
import { useWorkerEngine } from '../workerEngine.ts'
import { openWorkerPort } from '../workerPort.ts'
import { createAnswerReader } from './answerBuffer.ts'
import { createRemoteStore, type PinnedHead } from './remoteStore.ts'
import { createStoreClient } from './storeClient.ts'
import type { FromCallWorker, WorkerCall, CallWorkerSetup } from './protocol.ts'
import { compressPieces, compressText } from './compressedJson.ts'
import { createCallContext } from './callContext.ts'

/** Gas between two checks for cancellation: a few milliseconds. */
const WATCH_GAS = 1_000_000

/** Maximum characters of a result that is sent as text. */
const TEXT_LENGTH_MAX = 64 * 1024

const { post } = openWorkerPort<FromCallWorker>((call: WorkerCall) => void run(call))
const setup = workerData as CallWorkerSetup

// As on the main thread: an unpredictable seed for the hash tables of the state.
useTableSeed(crypto.getRandomValues(new Int32Array(1))[0] as number)
await useWorkerEngine()
const reportFault = (method: string, error: unknown): void =>
  post({
    kind: 'fault',
    method,
    text: error instanceof Error ? (error.stack ?? error.message) : String(error),
  })
if (setup.evmCompilerEnabled) startSegmentCompiler(error => reportFault('compiling contract code', error))

const answers = createAnswerReader(setup.buffer)
const genesis = decodeChainHead(setup.genesis)
const head: PinnedHead = { current: genesis }
let current = 0
let { minGasPrice } = setup.options
let rewinds = 0
const expired = (): boolean => answers.isCancelled(current)
const watch = {
  gas: WATCH_GAS,
  check: (): void => {
    if (expired()) throw new RpcError('TIMEOUT')
  },
}
const client = createStoreClient(answers, post)
const store = createRemoteStore(client, head, watch)
const context = createCallContext(
  setup,
  genesis,
  store,
  () => head.current,
  () => minGasPrice,
  reportFault,
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
  const pieces = isLong ? compressPieces(result.pieces) : compressText(resultText)
  post(
    { kind: 'outcome', id, outcome: { pieces } },
    pieces.map(({ data: { buffer } }) => buffer),
  )
}

const run = async (call: WorkerCall): Promise<void> => {
  const { id, method, params, head: at } = call
  current = id
  head.current = decodeChainHead(at)
  minGasPrice = call.minGasPrice
  if (call.rewinds !== rewinds) client.forgetAll()
  rewinds = call.rewinds
  const row = rows.get(method)
  if (row === undefined) throw new Error(`no method ${method}`)
  const outcome = await runner.run(row, { params: JSON.parse(params) as Params, expired })
  sendOutcome(id, outcome)
}

post('ready')
