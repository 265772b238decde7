import { describe, expect, test } from 'bun:test'
import { createRpcApp, HTTP_DEFAULTS, type HttpOptions } from '../../../handlers/http/app.ts'
import { RPC_DEFAULTS, type RpcContext, type RpcNetwork } from '../../../handlers/rpc/context.ts'

const BODY_BYTES_MAX = 1000

/** The routes, hosts, origins and bodies are judged before any chain is asked. */
const contextWith = (more: Partial<RpcContext> = {}): RpcContext =>
  ({
    options: { ...RPC_DEFAULTS, clientVersion: 'quorate/v0', networkId: 1337n },
    chain: { configuration: { chainId: 1337n } },
    network: undefined,
    syncing: () => undefined,
    differences: () => [],
    reportError: (_: string, error: unknown) => {
      throw error
    },
    ...more,
  }) as unknown as RpcContext

const send = async (
  path: string,
  init: RequestInit = {},
  options: Partial<HttpOptions> = {},
  context: RpcContext = contextWith(),
): Promise<Response> => {
  const { fetch } = createRpcApp(context, { ...HTTP_DEFAULTS, bodyBytesMax: BODY_BYTES_MAX, ...options })
  const headers = new Headers(init.headers)
  if (!headers.has('host')) headers.set('host', 'localhost:8545')
  return await fetch(new Request(`http://localhost:8545${path}`, { ...init, headers }))
}

describe('health', () => {
  const UP = '{\n  "status" : "UP"\n}'

  /** The status code, the status, the reasons, and the check of a name. */
  const probe = async (path: string, name: string, context?: RpcContext) => {
    const [code, text] = await ask(path, context)
    const { status, reasons, checks } = JSON.parse(text) as {
      readonly status: string
      readonly reasons?: readonly string[]
      readonly checks?: Readonly<Record<string, object>>
    }
    return [code, status, reasons ?? [], checks?.[name]]
  }

  const ask = async (path: string, context?: RpcContext): Promise<readonly [number, string]> => {
    const response = await send(path, {}, {}, context)
    return [response.status, await response.text()]
  }

  test('/liveness is up', async () => {
    expect(await ask('/liveness')).toEqual([200, UP])
  })

  test('/readiness asks for no peers where the node connects to none', async () => {
    expect(await probe('/readiness', 'peers')).toEqual([200, 'UP', [], undefined])
    expect((await ask('/readiness?minPeers=5&maxBlocksBehind=10'))[0]).toBe(200)
  })

  const withPeers = (count: number, more: Partial<RpcContext> = {}) =>
    contextWith({ network: { peerCount: () => count } as unknown as RpcNetwork, ...more })

  test('/readiness counts peers where it does, one unless told otherwise', async () => {
    expect(await probe('/readiness', 'peers', withPeers(0))).toEqual([
      503,
      'DOWN',
      ['0 peers are connected, minPeers is 1'],
      { status: false, currentPeers: 0, requiredPeers: 1 },
    ])
    expect(await probe('/readiness', 'peers', withPeers(1))).toEqual([
      200,
      'UP',
      [],
      { status: true, currentPeers: 1, requiredPeers: 1 },
    ])
    expect((await ask('/readiness?minPeers=0', withPeers(0)))[0]).toBe(200)
    expect((await ask('/readiness?minPeers=4', withPeers(3)))[0]).toBe(503)
  })

  test('/readiness counts the blocks the node is behind, two unless told otherwise', async () => {
    const behind = (blocks: bigint) =>
      withPeers(1, {
        syncing: () => ({ startingBlock: 0n, currentBlock: 100n, highestBlock: 100n + blocks }),
      })
    expect(await probe('/readiness', 'sync', behind(2n))).toEqual([
      200,
      'UP',
      [],
      { status: true, blocksBehind: 2, maxBlocksBehind: 2 },
    ])
    expect(await probe('/readiness', 'sync', behind(3n))).toEqual([
      503,
      'DOWN',
      ['3 blocks behind block 103, maxBlocksBehind is 2'],
      { status: false, blocksBehind: 3, maxBlocksBehind: 2 },
    ])
    expect((await ask('/readiness?maxBlocksBehind=3', behind(3n)))[0]).toBe(200)
    expect((await ask('/readiness?maxBlocksBehind=0', behind(1n)))[0]).toBe(503)
  })

  test('an answer is written as Besu writes it', async () => {
    expect(await ask('/readiness?store=false&disk=false&blocks=false&clock=false', withPeers(1))).toEqual([
      200,
      `{
  "status" : "UP",
  "checks" : {
    "peers" : {
      "status" : true,
      "currentPeers" : 1,
      "requiredPeers" : 1
    },
    "sync" : {
      "status" : true,
      "blocksBehind" : 0,
      "maxBlocksBehind" : 2
    }
  }
}`,
    ])
  })

  test('/readiness names what of the genesis file differs at which peer, and is up nevertheless', async () => {
    const differences = [{ peer: 'enode://aa@127.0.0.1:1', entries: ['qbft.blockperiodseconds'] }]
    const [status, body] = await ask('/readiness', withPeers(1, { differences: () => differences }))
    expect([status, JSON.parse(body)]).toMatchObject([200, { status: 'UP', differences }])
  })

  const TROUBLES = { failures: [], stalls: [], disks: [], clocks: [] }

  test('a node that cannot write is down on both, with the reason; one whose network stalls is alive and not ready', async () => {
    const failing = withPeers(1, { troubles: () => ({ ...TROUBLES, failures: ['the disk is full'] }) })
    expect(await ask('/liveness', failing)).toEqual([
      503,
      '{\n  "status" : "DOWN",\n  "reasons" : [\n    "the disk is full"\n  ]\n}',
    ])
    expect(await probe('/readiness', 'store', failing)).toEqual([
      503,
      'DOWN',
      ['the disk is full'],
      { status: false, error: 'the disk is full' },
    ])
  })

  test.each([
    ['store', 'failures'],
    ['disk', 'disks'],
    ['blocks', 'stalls'],
    ['clock', 'clocks'],
  ] as const)('/readiness is down for its check %s unless that is left out', async (name, trouble) => {
    const context = withPeers(1, { troubles: () => ({ ...TROUBLES, [trouble]: ['so it is'] }) })
    expect(await probe('/readiness', name, context)).toEqual([
      503,
      'DOWN',
      ['so it is'],
      { status: false, error: 'so it is' },
    ])
    expect(await probe(`/readiness?${name}=false`, name, context)).toEqual([200, 'UP', [], undefined])
    expect((await probe(`/readiness?${name}=no`, name, context))[2]).toEqual([
      `${name} is neither true nor false`,
    ])
  })

  test('probes are answered whatever host they ask for, and methods other than GET are not', async () => {
    for (const path of ['/liveness', '/readiness']) {
      expect((await send(path, { headers: { host: '10.1.2.3:8545' } })).status).toBe(200)
      expect((await send(path, { method: 'POST' })).status).toBe(405)
    }
    expect((await send('/', { headers: { host: '10.1.2.3:8545' } })).status).toBe(403)
  })

  test('/readiness is down for a parameter that is no number', async () => {
    const [status, body] = await ask('/readiness?minPeers=a&maxBlocksBehind=-1')
    expect([status, JSON.parse(body)]).toMatchObject([
      503,
      {
        status: 'DOWN',
        reasons: ['minPeers is no number', 'maxBlocksBehind is no number'],
        checks: { peers: { status: false, error: 'minPeers is no number' } },
      },
    ])
  })
})
