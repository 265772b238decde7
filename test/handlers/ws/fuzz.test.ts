import { heapStats } from 'bun:jsc'
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from 'bun:test'
import * as fc from 'fast-check'
import { CONNECTION_METHODS } from '../../../handlers/rpc/subscriptions/methods.ts'
import { createWsApp, type WsApp } from '../../../handlers/ws/app.ts'
import { type LoginNode, startLoginNode, userToml } from '../auth/login/loginNode.ts'
import { parametersOf } from '../rpc/fuzz/arbitraries.ts'
import { faultOf, orHang } from '../rpc/fuzz/asked.ts'
import { DEPLOYER, RECEIVER, type Sample, startSampleChain } from '../support/sampleChain.ts'

// Contracts are compiled first, and each method is asked many times.
setDefaultTimeout(120_000)

/** Requests for each method; FUZZ_RUNS asks for more. */
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 300)
/** A run that failed is found again with FUZZ_SEED. */
const SEED = process.env['FUZZ_SEED'] === undefined ? undefined : Number(process.env['FUZZ_SEED'])
/** What all of it together may leave behind. */
const GROWTH_BYTES_MAX = 64 * 1024 * 1024
/** Requests before a connection closes and another takes its place, so that some meet subscriptions and some none. */
const CONNECTION_REQUESTS = 20

let sample: Sample
let login: LoginNode
/** Of each test its own: ids of subscriptions begin with 1, where those that are asked for are. */
let app: WsApp
const faults: string[] = []

beforeAll(async () => {
  sample = await startSampleChain({
    host: { reportError: (method, error) => faults.push(`${method}: ${String(error)}`) },
  })
  login = await startLoginNode(userToml('all', 'p', ['*:*']) + userToml('none', 'p', []), {
    context: sample.node.context,
  })
})
afterAll(() => sample.node.close())

beforeEach(() => {
  app = createWsApp(sample.node.context, {
    hostAllowlist: ['*'],
    corsOrigins: [],
    connectionsMax: 10,
    authentication: login.authentication,
    clientOf: peer => peer,
  })
})
afterEach(() => app.close())

const heapBytes = (): number => {
  Bun.gc(true)
  const { heapSize, extraMemorySize } = heapStats()
  return heapSize + extraMemorySize
}

/** A connection of that token whose reader reads at once. */
const connect = (token: string) => {
  const headers = new Headers({ authorization: `Bearer ${token}` })
  const upgrade = app.upgrade({ headers }, () => '192.0.2.1')
  if (upgrade instanceof Response) throw new Error(`refused with ${upgrade.status}`)
  let arrived: (text: string) => void = () => undefined
  let isEnded = false
  const session = upgrade.open({
    send: text => {
      const { method } = JSON.parse(text) as { method?: string }
      if (method !== 'eth_subscription') arrived(text)
    },
    bufferedBytes: () => 0,
    close: () => {
      isEnded = true
    },
    terminate: () => {
      isEnded = true
    },
  })
  let lastId = 0
  return {
    isEnded: () => isEnded,
    close: () => session.closed(),
    ask: async (method: string, params: readonly unknown[]): Promise<string> => {
      const id = ++lastId
      // One at a time: what nests too deep is answered without an id.
      const { promise, resolve } = Promise.withResolvers<string>()
      arrived = resolve
      session.message(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
      return await promise
    },
  }
}

describe('given any parameters over a WebSocket', () => {
  let parameters: ReturnType<typeof parametersOf>
  let tokens: readonly [all: string, none: string]
  let before = 0
  beforeAll(async () => {
    tokens = [await login.tokenOf('all', 'p'), await login.tokenOf('none', 'p')]
    const { token, failures, hashes } = sample
    parameters = parametersOf({
      addresses: [token, failures, DEPLOYER.address, RECEIVER.address],
      hashes: hashes.flat(),
      transactions: [sample.encode('failures', 'withReason')],
      tokens,
    })
    before = heapBytes()
  })

  test.each([...CONNECTION_METHODS])(
    'when $name gets them, then it answers with a result or an error of the table',
    async row => {
      faults.length = 0
      let connection = connect(tokens[0])
      let asked = 0
      await fc.assert(
        fc.asyncProperty(parameters(row), async params => {
          if (++asked % CONNECTION_REQUESTS === 0 || connection.isEnded()) {
            connection.close()
            connection = connect(tokens[0])
            // Something to end.
            for (const type of ['newHeads', 'syncing', 'newPendingTransactions'])
              await connection.ask('eth_subscribe', [type])
          }
          const fault = await orHang(connection.ask(row.name, params).then(faultOf))
          expect([fault, ...faults].filter(one => one !== undefined)).toEqual([])
          // Whoever presented a token of no rights has them back, so that what follows gets as far.
          await connection.ask('rpc_authenticate', [tokens[0]])
        }),
        { numRuns: RUNS, ...(SEED === undefined ? {} : { seed: SEED }) },
      )
      connection.close()
      expect(app.size).toBe(0)
    },
  )

  test('when a block comes meanwhile, then subscriptions of every kind get it, and little memory remains in use', async () => {
    faults.length = 0
    const connection = connect(tokens[0])
    const subscribe = parameters(CONNECTION_METHODS.find(({ name }) => name === 'eth_subscribe') as never)
    for (const params of fc.sample(subscribe, {
      numRuns: RUNS,
      ...(SEED === undefined ? {} : { seed: SEED }),
    }))
      await connection.ask('eth_subscribe', params)
    await sample.node.mine()
    const answer = await connection.ask('eth_blockNumber', [])
    expect(JSON.parse(answer)).toHaveProperty('result')
    expect(faults).toEqual([])
    connection.close()
    expect(app.size).toBe(0)
    expect(heapBytes() - before).toBeLessThan(GROWTH_BYTES_MAX)
  })
})
