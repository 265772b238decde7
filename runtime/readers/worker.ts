import { parentPort, workerData } from 'node:worker_threads'
import { useCryptoEngine } from '../../core/crypto/crypto.ts'
import { useTableSeed } from '../../core/state/hash.ts'
import { decodeChainHead } from '../../core/store/codec/chainHead.ts'
import { CALL_METHODS } from '../../handlers/graphql/callMethods.ts'
import { textOf } from '../../handlers/rpc/envelope.ts'
import { RpcError } from '../../handlers/rpc/errors.ts'
import type { Params } from '../../handlers/rpc/method.ts'
import { METHODS } from '../../handlers/rpc/methods.ts'
import { createRunner } from '../../handlers/rpc/runner.ts'
import { loadFastestEngine } from '../crypto/fastest.ts'
import { createAnswerReader } from './answerBuffer.ts'
import { createAskedStore, type PinnedHead } from './askedStore.ts'
import { createAsker } from './asker.ts'
import type { FromReader, ReaderCall, ReaderSetup } from './protocol.ts'
import { createReaderContext } from './readerContext.ts'

/** Between two looks whether anybody still waits: some milliseconds. */
const WATCH_GAS = 1_000_000

const port = parentPort
if (port === null) throw new Error('runtime/readers/worker.ts runs on a worker thread only')
const setup = workerData as ReaderSetup
const post = (message: FromReader): void => port.postMessage(message)

// As on the main thread: places in the state's tables that nobody can foresee.
useTableSeed(crypto.getRandomValues(new Int32Array(1))[0] as number)
try {
  useCryptoEngine(await loadFastestEngine())
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

const run = async (call: ReaderCall): Promise<void> => {
  const { id, method, params, head: at } = call
  current = id
  head.current = decodeChainHead(at)
  minGasPrice = call.minGasPrice
  const row = rows.get(method)
  if (row === undefined) throw new Error(`no method ${method}`)
  const outcome = await runner.run(row, { params: JSON.parse(params) as Params, expired })
  // As text: the main thread has nothing to do with it but to send it.
  post({
    kind: 'outcome',
    id,
    outcome: 'result' in outcome ? { resultText: textOf(outcome) } : outcome,
  })
}

port.on('message', (call: ReaderCall) => void run(call))
post({ kind: 'ready' })
