import { describe, expect, test } from 'bun:test'
import type { RpcContext, RpcNetwork } from '../../../handlers/rpc/context.ts'
import { contextWith, send } from './endpoint.ts'

describe('given health checks', () => {
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

  test('when the node runs, then /liveness is UP', async () => {
    expect(await ask('/liveness')).toEqual([200, UP])
  })

  test('when p2p is disabled, then /readiness needs no peers', async () => {
    expect(await probe('/readiness', 'peers')).toEqual([200, 'UP', [], undefined])
    expect((await ask('/readiness?minPeers=5&maxBlocksBehind=10'))[0]).toBe(200)
  })

  const withPeers = (count: number, more: Partial<RpcContext> = {}) =>
    contextWith({ network: { peerCount: () => count } as unknown as RpcNetwork, ...more })

  test('when p2p is enabled, then /readiness needs one peer unless told otherwise', async () => {
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
    const alone = withPeers(0, { healthProblems: () => ({ failures: [], stalls: [], needsNoPeers: true }) })
    expect((await ask('/readiness', alone))[0]).toBe(200)
    expect((await ask('/readiness?minPeers=1', alone))[0]).toBe(503)
    expect((await ask('/readiness?minPeers=4', withPeers(3)))[0]).toBe(503)
  })

  test('when the node is behind, then /readiness allows two blocks unless told otherwise', async () => {
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

  test('when an answer has nothing to add, then it is Besu’s to the byte', async () => {
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

  test('when the genesis file of a peer differs, then /readiness names the entries and is UP nevertheless', async () => {
    const differences = [{ peer: 'enode://aa@127.0.0.1:1', entries: ['qbft.blockperiodseconds'] }]
    const [status, body] = await ask('/readiness', withPeers(1, { differences: () => differences }))
    expect([status, JSON.parse(body)]).toMatchObject([200, { status: 'UP', differences }])
  })

  const TROUBLES = { failures: [], stalls: [], disks: [], clocks: [] }

  test('when the node cannot write, then both are DOWN with the reason; when its network stalls, only /readiness is', async () => {
    const failing = withPeers(1, { healthProblems: () => ({ ...TROUBLES, failures: ['the disk is full'] }) })
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
  ] as const)(
    'when its check %s fails, then /readiness is DOWN unless that check is left out',
    async (name, trouble) => {
      const context = withPeers(1, { healthProblems: () => ({ ...TROUBLES, [trouble]: ['so it is'] }) })
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
    },
  )

  test('when probes name any host, then they are answered, and methods other than GET are not', async () => {
    for (const path of ['/liveness', '/readiness']) {
      expect((await send(path, { headers: { host: '10.1.2.3:8545' } })).status).toBe(200)
      expect((await send(path, { method: 'POST' })).status).toBe(405)
    }
    expect((await send('/', { headers: { host: '10.1.2.3:8545' } })).status).toBe(403)
  })

  test('when a parameter is not a number, then /readiness is DOWN', async () => {
    const [status, body] = await ask('/readiness?minPeers=a&maxBlocksBehind=-1')
    expect([status, JSON.parse(body)]).toMatchObject([
      503,
      {
        status: 'DOWN',
        reasons: ['minPeers is not a number', 'maxBlocksBehind is not a number'],
        checks: { peers: { status: false, error: 'minPeers is not a number' } },
      },
    ])
  })
})
