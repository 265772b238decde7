import { expect, test } from 'bun:test'
import { toHex, toQuantity } from '../../../core/bytes/hex.ts'
import { createGraphqlApp } from '../../../handlers/graphql/app.ts'
import { createRpcApp, HTTP_DEFAULTS } from '../../../handlers/http/app.ts'
import { METHODS } from '../../../handlers/rpc/methods/methodTable.ts'
import type { ForwardCall } from '../../../handlers/rpc/context.ts'
import type { Verification } from '../../../runtime/read/readHost.ts'
import { sampleChain } from '../../support/chains/sampleChain.ts'
import { openMovingReader } from '../../support/readers/movingReader.ts'

const HEAD = 30
const chain = sampleChain({ seed: 38, blocks: 30, accounts: 4, slots: 1, changesMax: 2, transactionsMax: 2 })
const ACCOUNT = toHex(chain.addresses[0] as Uint8Array)
const NOBODY = `0x${'ee'.repeat(20)}`
const UNKNOWN = `0x${'ab'.repeat(32)}`
const mined = chain.commits.find(({ block }) => block.transactions.length > 0 && block.header.number > 0n)
const HASH = toHex(mined?.block.transactions[0]?.hash as Uint8Array)
const BLOCK = toQuantity(mined?.block.header.number as bigint)
const BLOCK_HASH = toHex(mined?.hash as Uint8Array)

/** Where an answer comes from. */
type Source = 'store' | 'absence' | 'reader' | 'upstream'

/** The label of an answer, by its source and by what the reader verifies. */
const LABELS: Readonly<Record<Source, Readonly<Record<Verification, string>>>> = {
  store: { none: 'none', head: 'head', state: 'state' },
  absence: { none: 'none', head: 'head', state: 'head' },
  reader: { none: 'none', head: 'none', state: 'none' },
  upstream: { none: 'none', head: 'none', state: 'none' },
}

/** Every method that a reader serves, or forwards, with parameters that it answers, and the source of that answer. */
const CALLS: Readonly<Record<string, readonly (readonly [source: Source, ...params: readonly unknown[]])[]>> =
  {
    rpc_modules: [['store']],
    rpc_discover: [['store']],
    net_version: [['store']],
    net_listening: [['reader']],
    net_peerCount: [['reader']],
    net_services: [['reader']],
    net_enode: [['reader']],
    web3_clientVersion: [['reader']],
    web3_sha3: [['store', '0x00']],
    eth_accounts: [['reader']],
    eth_blockNumber: [['store']],
    eth_chainId: [['store']],
    eth_protocolVersion: [['store']],
    eth_syncing: [['reader']],
    eth_coinbase: [['reader']],
    eth_mining: [['reader']],
    eth_gasPrice: [['store']],
    eth_maxPriorityFeePerGas: [['store']],
    eth_blobBaseFee: [['store']],
    eth_baseFee: [['store']],
    eth_config: [['store']],
    eth_capabilities: [['store']],
    eth_feeHistory: [['store', '0x2', 'latest', []]],
    eth_getBlockByNumber: [
      ['store', BLOCK, false],
      ['absence', '0xffff', false],
      ['reader', 'pending', false],
    ],
    eth_getBlockByHash: [
      ['store', BLOCK_HASH, true],
      ['absence', UNKNOWN, false],
    ],
    eth_getBlockReceipts: [['store', BLOCK]],
    eth_getBlockAccessList: [['absence', BLOCK]],
    eth_getBlockTransactionCountByNumber: [['store', BLOCK]],
    eth_getBlockTransactionCountByHash: [
      ['store', BLOCK_HASH],
      ['absence', UNKNOWN],
    ],
    eth_getUncleCountByBlockNumber: [['store', BLOCK]],
    eth_getUncleCountByBlockHash: [
      ['store', BLOCK_HASH],
      ['absence', UNKNOWN],
    ],
    eth_getUncleByBlockNumberAndIndex: [['absence', BLOCK, '0x0']],
    eth_getUncleByBlockHashAndIndex: [['absence', UNKNOWN, '0x0']],
    eth_getTransactionByHash: [
      ['store', HASH],
      ['absence', UNKNOWN],
    ],
    eth_getTransactionByBlockNumberAndIndex: [['store', BLOCK, '0x0']],
    eth_getTransactionByBlockHashAndIndex: [
      ['store', BLOCK_HASH, '0x0'],
      ['absence', UNKNOWN, '0x0'],
    ],
    eth_getRawTransactionByHash: [
      ['store', HASH],
      ['absence', UNKNOWN],
    ],
    eth_getRawTransactionByBlockNumberAndIndex: [['store', BLOCK, '0x0']],
    eth_getRawTransactionByBlockHashAndIndex: [['store', BLOCK_HASH, '0x0']],
    eth_getTransactionReceipt: [
      ['store', HASH],
      ['absence', UNKNOWN],
    ],
    eth_getBalance: [
      ['store', ACCOUNT, 'latest'],
      ['reader', ACCOUNT, 'pending'],
    ],
    eth_getTransactionCount: [
      ['store', ACCOUNT, 'latest'],
      ['reader', ACCOUNT, 'pending'],
    ],
    eth_getCode: [['store', ACCOUNT, 'latest']],
    eth_getStorageAt: [['store', ACCOUNT, '0x0', 'latest']],
    eth_getStorageValues: [['store', { [ACCOUNT]: [UNKNOWN] }, 'latest']],
    eth_getLogs: [
      ['store', { fromBlock: '0x1', toBlock: '0x5' }],
      ['reader', { fromBlock: '0x1', toBlock: 'pending' }],
    ],
    eth_call: [
      ['store', { to: NOBODY }, 'latest'],
      ['reader', { to: NOBODY }, 'pending'],
    ],
    eth_estimateGas: [['store', { to: NOBODY }, 'latest']],
    eth_sendRawTransaction: [['upstream', '0x01']],
    eth_sendRawTransactionSync: [['upstream', '0xf86b']],
    eth_sendTransaction: [['upstream', {}]],
    eth_fillTransaction: [['upstream', {}]],
    eth_newFilter: [['upstream', {}]],
    eth_newBlockFilter: [['upstream']],
    eth_newPendingTransactionFilter: [['upstream']],
    eth_getFilterChanges: [['upstream', '0x1']],
    eth_getFilterLogs: [['upstream', '0x1']],
    eth_uninstallFilter: [['upstream', '0x1']],
    qbft_getStatus: [['reader']],
    qbft_getPendingVotes: [['reader']],
    qbft_proposeValidatorVote: [['reader', ACCOUNT, true]],
    qbft_discardValidatorVote: [['reader', ACCOUNT]],
    ibft_getPendingVotes: [['reader']],
    debug_getRawBlock: [['store', BLOCK]],
    debug_getRawHeader: [['store', BLOCK]],
    debug_getRawReceipts: [['store', BLOCK]],
    debug_getRawTransaction: [['store', HASH]],
    debug_getBadBlocks: [['reader']],
    debug_batchSendRawTransaction: [['reader', ['0x01']]],
  }

/** Groups of which no method is proved: they are about a node, its pool or its operator. */
const OF_A_NODE = ['ADMIN', 'PERM', 'MINER', 'TXPOOL', 'DEV']

/** Methods that need a sealed chain or an index, which the readers of other tests have; they are proved as a whole. */
const ELSEWHERE =
  /^(?:(?:qbft|ibft)_get(?:Validators|SignerMetrics)|qbft_getRequestTimeout|debug_(?:trace|account|storage)|trace_|ots_|eth_(?:getProof|simulateV1|createAccessList))/

const forwardCall: ForwardCall = () => Promise.resolve({ result: { status: '0x1', logs: [] } })

const openReader = async (verification: Verification) => {
  const apis = [...new Set(METHODS.map(({ group }) => group))]
  const { context } = await openMovingReader(chain, HEAD, {
    isPerRequest: false,
    forwardCall,
    verification,
    apis,
    reportError: () => undefined,
  })
  const rpc = createRpcApp(context, HTTP_DEFAULTS)
  const graphql = createGraphqlApp(context, { ...HTTP_DEFAULTS, complexityMax: 200, introspection: true })
  const post = async (app: typeof rpc, path: string, body: unknown, accept = '*/*'): Promise<Response> =>
    app.fetch(
      new Request(`http://localhost${path}`, {
        method: 'POST',
        headers: { host: 'localhost', 'content-type': 'application/json', accept },
        body: JSON.stringify(body),
      }),
      () => 'test',
    )
  return {
    rpc: (body: unknown) => post(rpc, '/', body),
    graphql: (query: string, accept?: string) => post(graphql, '/graphql', { query }, accept),
  }
}

const labelOf = ({ headers }: Response): string | null => headers.get('x-quorate-verified')
const callOf = (method: string, params: readonly unknown[]) => ({ jsonrpc: '2.0', id: 1, method, params })

test('given the methods of a node, then each has a source in this table, or no proof at all', () => {
  const unnamed = METHODS.filter(
    ({ name, group }) => !(name in CALLS) && !OF_A_NODE.includes(group) && !ELSEWHERE.test(name),
  )
  expect(unnamed.map(({ name }) => name)).toEqual([])
})

test.each<Verification>(['none', 'head', 'state'])(
  'given a reader that verifies %s, then the label of each answer follows from its source',
  async verification => {
    const reader = await openReader(verification)
    const wrong: string[] = []
    for (const [method, calls] of Object.entries(CALLS))
      for (const [source, ...params] of calls) {
        const answer = await reader.rpc(callOf(method, params))
        const expected = LABELS[source][verification]
        const label = labelOf(answer)
        if (label !== expected)
          wrong.push(`${method} ${JSON.stringify(params)}: ${label}, not ${expected}: ${await answer.text()}`)
        const namesBlock = answer.headers.has('x-quorate-block')
        if (namesBlock === (source === 'upstream'))
          wrong.push(`${method}: block ${answer.headers.get('x-quorate-block')}`)
      }
    for (const { name, group } of METHODS.filter(one => OF_A_NODE.includes(one.group)))
      if (labelOf(await reader.rpc(callOf(name, []))) !== 'none') wrong.push(`${group} ${name}`)
    expect(wrong).toEqual([])
  },
)

test('given a batch, then its label is that of the answer that proves least', async () => {
  const { rpc } = await openReader('state')
  const [balance, unknown, sent] = [
    callOf('eth_getBalance', [ACCOUNT, 'latest']),
    callOf('eth_getTransactionByHash', [UNKNOWN]),
    callOf('eth_getFilterLogs', ['0x1']),
  ]
  expect(labelOf(await rpc([balance, balance]))).toBe('state')
  expect(labelOf(await rpc([balance, unknown]))).toBe('head')
  expect(labelOf(await rpc([balance, unknown, sent]))).toBe('none')
  expect(labelOf(await rpc(callOf('eth_unknown', [])))).toBe('none')
})

test('given GraphQL, then its label is that of the field that proves least, and a stream has none', async () => {
  const { graphql } = await openReader('state')
  expect(labelOf(await graphql('{ block { number } }'))).toBe('state')
  expect(labelOf(await graphql(`{ transaction(hash: "${HASH}") { hash } }`))).toBe('state')
  expect(labelOf(await graphql(`{ block { number } transaction(hash: "${UNKNOWN}") { hash } }`))).toBe('head')
  expect(labelOf(await graphql(`{ block(hash: "${UNKNOWN}") { number } }`))).toBe('head')
  for (const field of ['pending { transactionCount }', 'syncing { currentBlock }', 'qbft { round }'])
    expect(labelOf(await graphql(`{ block { number } ${field} }`))).toBe('none')
  expect(labelOf(await graphql('mutation { sendRawTransaction(data: "0x01") }'))).toBe('none')
  const stream = await graphql('subscription { newHeads { number } }', 'text/event-stream')
  expect(labelOf(stream)).toBeNull()
  await stream.body?.cancel()
})
