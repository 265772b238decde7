import { describe, expect } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createSecp256k1Keys } from '../handlers/auth/keys.ts'
import { withFolder } from './folder.ts'
import { type NodeProcess, runCommand, startNode } from './nodeProcess.ts'
import { connectWs } from './wsClient.ts'
import { independent as test } from '../support/scenario.ts'
import { until } from '../support/until.ts'

const ENABLED = ['--rpc-ws-enabled', '--rpc-ws-port=0']

const withNode = (
  args: readonly string[],
  run: (node: NodeProcess, wsUrl: string, folder: string) => Promise<void>,
): Promise<void> =>
  withFolder(async folder => {
    const node = await startNode(folder, [...ENABLED, ...args])
    try {
      await run(node, node.wsUrl as string, folder)
    } finally {
      await node.stop()
    }
  })

const errorOf = (code: number, message: string, id: unknown = null) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
})

const INVALID = errorOf(-32600, 'Invalid Request')
const NOT_JSON = errorOf(-32700, 'Parse error')

describe('given a node that serves WebSocket', () => {
  test('when messages are no requests, then they are answered as Besu does', () =>
    withNode([], async (_, wsUrl) => {
      const client = await connectWs(wsUrl)
      const cases: readonly (readonly [string, unknown])[] = [
        ['', INVALID],
        ['{', NOT_JSON],
        ['7', NOT_JSON],
        ['"x"', NOT_JSON],
        ['{}', INVALID],
        ['{"id":3,"method":"eth_chainId","params":{}}', { ...INVALID, id: 3 }],
        ['[]', []],
        [
          '[1,{"method":"eth_chainId"},{"id":"a","method":"net_version"}]',
          [INVALID, { jsonrpc: '2.0', id: 'a', result: '1337' }],
        ],
        ['{"id":1,"method":"eth_nothing"}', errorOf(-32601, 'Method not found', 1)],
        [
          '{"id":12345678901234567890,"method":"admin_peers"}'.replace(
            'admin_peers',
            'perm_getAccountsAllowlist',
          ),
          expect.objectContaining({
            error: expect.objectContaining({ code: -32604, message: 'Method not enabled' }),
          }),
        ],
      ]
      for (const [message, answer] of cases) expect(await client.exchange(message)).toEqual(answer)
      // Nothing is sent to a notification or a batch of them, so that the next answer is that of the next request.
      client.send('{"method":"eth_chainId"}')
      client.send('[{"method":"eth_chainId"}]')
      expect(await client.exchange('{"id":9,"method":"eth_chainId"}')).toMatchObject({
        id: 9,
        result: '0x539',
      })
      expect(client.others).toEqual([])
      const batch = Array.from({ length: 2000 }, (_, id) => ({ id, method: 'eth_chainId' }))
      expect(await client.request('eth_chainId')).toMatchObject({ result: '0x539' })
      expect(await client.exchange(JSON.stringify(batch))).toHaveProperty('length', 2000)
    }))

  test('when groups are given, then they are served, and subscriptions always are', () =>
    withNode(['--rpc-ws-api=NET,QBFT', '--rpc-http-api=ETH'], async (node, wsUrl) => {
      const client = await connectWs(wsUrl)
      expect(await client.call('net_version')).toBe('1337')
      expect(await client.request('eth_chainId')).toMatchObject({ error: { code: -32604 } })
      expect(await client.call('eth_subscribe', 'newHeads')).toBe('0x1')
      expect(await client.call('eth_unsubscribe', '0x1')).toBe(true)
      expect(await client.call<object>('rpc_modules')).toEqual({ net: '1.0', qbft: '1.0' })
      const overHttp = node.rpc('eth_subscribe', 'newHeads').catch((error: unknown) => String(error))
      expect(await overHttp).toContain('-32604 Method not enabled')
    }))

  test('when it is asked where it listens, then net_services, the ports file and the log tell', () =>
    withNode([], async (node, wsUrl, folder) => {
      const { port } = new URL(wsUrl)
      expect(await (await connectWs(wsUrl)).call('net_services')).toMatchObject({
        ws: { host: '127.0.0.1', port },
        jsonrpc: { host: '127.0.0.1', port: new URL(node.url).port },
      })
      expect(readFileSync(join(folder, 'besu.ports'), 'utf8')).toContain(`\nws-rpc=${port}\n`)
      expect(node.output()).toContain(`ws://127.0.0.1:${port}`)
    }))

  test('when a request takes too long, then it is logged with its id', () =>
    withNode(['--Xws-timeout-seconds=1', '--rpc-ws-api=ETH,DEBUG'], async (_, wsUrl) => {
      const client = await connectWs(wsUrl)
      // JUMPDEST PUSH0 JUMP: for ever, as far as the gas goes.
      const loop = { data: '0x5b5f56', gas: '0xffffffffffff' }
      const answers = await Promise.all([1, 2].map(() => client.request('eth_call', loop, 'latest')))
      for (const { error } of answers) expect([-32603, -32000]).toContain(error?.code as number)
      expect(await client.call('eth_chainId')).toBe('0x539')
    }))
})

describe('given a node that asks for tokens on WebSocket', () => {
  const keys = createSecp256k1Keys()
  const token = (permissions: readonly string[], seconds: number): string =>
    keys.sign({ permissions, exp: Math.floor(Date.now() / 1000) + seconds })
  const UNAUTHORIZED = { error: { code: -40100, message: 'Unauthorized' } }

  const withTokens = (run: (wsUrl: string) => Promise<void>): Promise<void> =>
    withFolder(async folder => {
      const file = join(folder, 'key.pem')
      writeFileSync(file, keys.publicPem)
      const node = await startNode(join(folder, 'data'), [
        ...ENABLED,
        '--rpc-ws-authentication-enabled',
        `--rpc-ws-authentication-jwt-public-key-file=${file}`,
        '--rpc-ws-authentication-jwt-algorithm=ES256',
        '--rpc-ws-authentication-subprotocol-enabled',
        '--rpc-ws-api-methods-no-auth=net_version',
      ])
      try {
        await run(node.wsUrl as string)
      } finally {
        await node.stop()
      }
    })

  test('when there is none, then the connection opens, and each message is checked for permission', () =>
    withTokens(async wsUrl => {
      const nobody = await connectWs(wsUrl)
      expect(await nobody.call('net_version')).toBe('1337')
      expect(await nobody.request('eth_chainId')).toMatchObject(UNAUTHORIZED)
      expect(await nobody.request('eth_subscribe', 'newHeads')).toMatchObject(UNAUTHORIZED)
      expect(
        await nobody.exchange('[{"id":1,"method":"net_version"},{"id":2,"method":"eth_chainId"}]'),
      ).toEqual([
        { jsonrpc: '2.0', id: 1, result: '1337' },
        { jsonrpc: '2.0', id: 2, ...UNAUTHORIZED },
      ])
    }))

  test('when one comes with the upgrade, then it counts until it has expired, and a new one may follow', () =>
    withTokens(async wsUrl => {
      const headers = { authorization: `Bearer ${token(['eth:*'], 3)}` }
      const client = await connectWs(wsUrl, { headers })
      expect(await client.call('eth_chainId')).toBe('0x539')
      expect(await client.call('eth_subscribe', 'newHeads')).toBe('0x1')
      expect(await client.request('web3_clientVersion')).toMatchObject(UNAUTHORIZED)
      await until(async () => (await client.request('eth_chainId')).error !== undefined)
      expect(await client.request('eth_chainId')).toMatchObject(UNAUTHORIZED)
      expect(await client.request('rpc_authenticate', 'nonsense')).toMatchObject(UNAUTHORIZED)
      const seconds = await client.call<number>('rpc_authenticate', token(['eth:chainId'], 60))
      expect(seconds).toBeGreaterThan(Date.now() / 1000)
      expect(await client.call('eth_chainId')).toBe('0x539')
      expect(await client.request('eth_blockNumber')).toMatchObject(UNAUTHORIZED)
      // The new token does not permit to subscribe, so that what was subscribed to has ended.
      expect(client.others).toContainEqual(
        errorOf(-40100, 'Subscriptions have ended: the token no longer permits them'),
      )
    }))

  test('when one comes as a subprotocol, then it counts as if it were in the header', () =>
    withTokens(async wsUrl => {
      const client = await connectWs(wsUrl, { protocols: ['bearer', token(['*:*'], 60)] })
      expect(client.protocol).toBe('bearer')
      expect(await client.call('web3_clientVersion')).toStartWith('quorate/')
    }))
})

test('given two services on one port, when the node starts, then it is refused as Besu does', () =>
  withFolder(async folder => {
    const { code, error } = await runCommand([
      `--data-path=${folder}`,
      '--rpc-http-port=12345',
      '--rpc-ws-enabled',
      '--rpc-ws-port=12345',
    ])
    expect([code, error.split('\n')[0]]).toEqual([
      2,
      "Port number '12345' has been specified multiple times. Please review the supplied configuration.",
    ])
  }))

test('given options of WebSocket without it, when the node starts, then it says that they do nothing', () =>
  withFolder(async folder => {
    const node = await startNode(folder, ['--rpc-ws-port=0', '--rpc-ws-api=ETH'])
    await node.stop()
    expect(node.output()).toContain('--rpc-ws-port, --rpc-ws-api has been ignored because --rpc-ws-enabled')
  }))

test('given a port that is taken, when the node starts, then it ends with Besu’s text', () =>
  withNode([], async (_, wsUrl, folder) => {
    const { port } = new URL(wsUrl)
    const { code, error } = await runCommand([
      `--data-path=${join(folder, 'other')}`,
      '--rpc-http-port=0',
      '--rpc-ws-enabled',
      `--rpc-ws-port=${port}`,
    ])
    expect([code, error]).toEqual([
      1,
      `Port(s) '[${port}]' already in use. Check for other processes using the port(s), or give another port with --rpc-ws-port.\n`,
    ])
  }))
