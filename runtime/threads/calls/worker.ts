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
import { createAskedStore, type PinnedHead } from './askedStore.ts'
import { createAsker } from './asker.ts'
import type { FromReader, ReaderCall, ReaderSetup } from './protocol.ts'
import { packPieces, packText } from './packed.ts'
import { createReaderContext } from './readerContext.ts'

/** Between two looks whether anybody still waits: some milliseconds. */
const WATCH_GAS = 1_000_000

/** Characters of a result that passes from thread to thread as text. */
const TEXT_LENGTH_MAX = 64 * 1024

const port = parentPort
if (port === null) throw new Error('runtime/threads/calls/worker.ts runs on a worker thread only')
const setup = workerData as ReaderSetup
const post = (message: FromReader): void => port.postMessage(message)

// As on the main thread: places in the state's tables that nobody can foresee.
useTableSeed(crypto.getRandomValues(new Int32Array(1))[0] as number)
try {
  // Not the native addon: a thread that is ended from outside while it is in there aborts the process, on Bun and Node.
  useCryptoEngine(await loadWasmEngine(crypto.getRandomValues(new Uint8Array(32))))
} catch {
  // Where WebAssembly cannot be compiled the noble engine, already in place, serves.
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
const store = createAskedStore(createAsker(answers, post), head, watch)
const context = createReaderContext(
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

/** The main thread has nothing to do with a result but to send it. */
const tell = (id: number, outcome: Outcome): void => {
  if ('error' in outcome) return post({ kind: 'outcome', id, outcome })
  const result = 'result' in outcome ? outcome.result : undefined
  const isLong = isJsonPieces(result) && bodyLength(result.pieces) > TEXT_LENGTH_MAX
  const resultText = isLong ? '' : textOf(outcome)
  if (!isLong && resultText.length <= TEXT_LENGTH_MAX)
    return post({ kind: 'outcome', id, outcome: { resultText } })
  const packed = isLong ? packPieces(result.pieces) : packText(resultText)
  port.postMessage(
    { kind: 'outcome', id, outcome: { packed } } satisfies FromReader,
    packed.map(({ packed: { buffer } }) => buffer),
  )
}

const run = async (call: ReaderCall): Promise<void> => {
  const { id, method, params, head: at } = call
  current = id
  head.current = decodeChainHead(at)
  minGasPrice = call.minGasPrice
  const row = rows.get(method)
  if (row === undefined) throw new Error(`no method ${method}`)
  const outcome = await runner.run(row, { params: JSON.parse(params) as Params, expired })
  tell(id, outcome)
}

port.on('message', (call: ReaderCall) => void run(call))
post({ kind: 'ready' })
