import { workerData } from 'node:worker_threads'
import { rateLimitedLog } from '../../../p2p/transport/rateLimitedLog.ts'
import { NetworkError } from '../../../p2p/error.ts'
import type { Network } from '../../../p2p/network.ts'
import { startTransport } from '../../../p2p/startTransport.ts'
import { createYield } from '../../scheduler.ts'
import { useWorkerEngine } from '../workerEngine.ts'
import { openWorkerPort } from '../workerPort.ts'
import { openBacklog } from './backlog.ts'
import { countConnections } from './connectionCounts.ts'
import { createRefusal } from './refusedNodes.ts'
import { plainError, plainValues } from './errors.ts'
import { createHandlers, keyOf } from './handlers.ts'
import { createValidationResults } from './validationResults.ts'
import { splitList } from './joinedBytes.ts'
import { createListClient, createListServer } from './lists.ts'
import type { FromNetwork, LogLevelName, NetworkSetup, ToNetwork } from './protocol.ts'

const setup = workerData as NetworkSetup
const refusedBy = createRefusal(setup.refusedNodes)
const counting = countConnections(setup.counters)
let { nodeState } = setup
let network: Network | undefined

const { post } = openWorkerPort<FromNetwork>(
  (message: ToNetwork) => onMessage(message),
  async () => network?.stop(),
)

const lineOf =
  (level: LogLevelName) =>
  (text: string, values?: Record<string, unknown>): void => {
    if (level === 'debug' && !nodeState.debug) return
    post({ kind: 'log', level, text, values: plainValues(values ?? {}) })
  }
const log = { debug: lineOf('debug'), info: lineOf('info'), warn: lineOf('warn'), error: lineOf('error') }
const limitedLog = rateLimitedLog(log, Date.now)

const toMain = openBacklog(setup.handled, 'fromNetwork', limitedLog)
const fromMain = openBacklog(setup.handled, 'toNetwork', limitedLog)
const lists = createListClient(
  message => post({ kind: 'served list', message }),
  () => new Error('the list request was cancelled'),
)
const validationResults = createValidationResults()
const wanted = createListServer(
  (message, moved) => post({ kind: 'wanted list', message }, moved),
  (request, signal) => {
    const { peer } = request
    const found = network?.peers().find(({ address }) => keyOf(address) === peer)
    if (network === undefined || found === undefined)
      throw new NetworkError('NOT_CONNECTED', `0x${peer} is not connected`)
    switch (request.kind) {
      case 'blocks':
        return network.requestBlocks(found, request.from, request.count, signal)
      case 'records':
        return network.requestRecords(found, request.from, request.count, signal)
      case 'pool hashes':
        return network.requestPoolHashes(found, signal)
      case 'pool transactions':
        return network.requestPoolTransactions(found, request.hashes, signal)
      default:
        throw new NetworkError('BAD_MESSAGE', `the network gives no list of ${request.kind}`)
    }
  },
)

const call = async ({ id, name, enode }: Extract<ToNetwork, { kind: 'call' }>): Promise<void> => {
  try {
    const outcome = await (network as Network)[name](enode)
    post({ kind: 'answer', id, outcome })
  } catch (cause) {
    post({ kind: 'answer', id, outcome: plainError(cause) })
  }
}

const onMessage = (message: ToNetwork): void => {
  switch (message.kind) {
    case 'state':
      nodeState = message.state
      if (message.broadcast) network?.sendStatus()
      return
    case 'consensus':
      fromMain.handled(message.data.length)
      network?.sendConsensus(message.to, message.code, message.data)
      return
    case 'transactions':
      fromMain.handled(message.transactions.bytes.length)
      network?.announceTransactions(splitList(message.transactions))
      return
    case 'validated':
      validationResults.received(message.id, message.result)
      return
    case 'block':
      fromMain.handled(message.block.length)
      network?.announceBlock(message.number, message.hash, message.block)
      return
    case 'misbehaviour':
      network?.reportMisbehaviour(message.address, message.what, message.detail)
      return
    case 'call':
      void call(message)
      return
    case 'wanted list':
      wanted.receive(message.message)
      return
    case 'served list':
      lists.receive(message.message)
  }
}

await useWorkerEngine()
try {
  network = await startTransport({
    ...setup,
    refuses: (publicKey, host, port) =>
      refusedBy(publicKey, host) ?? counting.unpermitted(nodeState.permittedNodes, publicKey, host, port),
    onIncomplete: counting.onIncomplete,
    handlers: createHandlers({
      post,
      backlog: toMain,
      lists,
      validationResults,
      status: setup.status,
      nodeState: () => nodeState,
      peers: () => network?.peers() ?? [],
    }),
    log,
    nowMs: () => Date.now(),
    pause: createYield(),
  })
  post({ kind: 'listening', enode: network.enode, port: network.port })
} catch (cause) {
  post({ kind: 'failed', error: plainError(cause) })
}
