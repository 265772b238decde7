import { expect } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NOTIFICATION_BUFFER_BYTES_MAX } from '../../handlers/ws/outbox.ts'
import { CONNECTION_SUBSCRIPTIONS_MAX } from '../../handlers/rpc/subscriptions/subscriptions.ts'
import { withFolder } from '../runtime/folder.ts'
import { isInstalled, type NodeProcess, type RuntimeName, startNode } from '../runtime/nodeProcess.ts'
import { connectRawWs, tellsPolicyViolation } from '../runtime/rawWs.ts'
import { clientsOf } from '../runtime/transactions.ts'
import { connectWs, HandshakeFailed } from '../runtime/wsClient.ts'
import { type Scenario, scenario } from '../support/scenario.ts'
import { until } from '../support/until.ts'

const RUNTIMES: readonly RuntimeName[] = ['bun', 'node', 'deno']

const TO = '0x00000000000000000000000000000000000000ee'

const FRAME_BYTES_MAX = 2048

/** 1009, as a close frame has it. */
const MESSAGE_TOO_BIG = '\x03\xf1'

const SLOW = 'Closing the connection: the client has not read too many of its messages'

const refusalOf = (opened: Promise<unknown>): Promise<unknown> =>
  opened.then(
    () => undefined,
    (error: unknown) => error,
  )

const mine = async (node: NodeProcess, count: number): Promise<void> => {
  const { wallet, reader } = clientsOf(node.url)
  for (let i = 0; i < count; i++) {
    const hash = await wallet.sendTransaction({ to: TO, value: 1n })
    await reader.waitForTransactionReceipt({ hash })
  }
}

/** A request whose text has exactly so many characters. */
const requestOf = (length: number): string => {
  const [start, end] = ['{"id":1,"method":"eth_chainId","params":["', '"]}']
  return start + 'x'.repeat(length - start.length - end.length) + end
}

/** One request on a connection that stays open; the answer is empty where it is closed without one. */
const askOnOwnConnection = async (
  url: string,
): Promise<{ readonly answer: string; readonly close: () => void }> => {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const answer = await new Promise<string>(resolve => {
    let text = ''
    socket.on('data', data => {
      text += data.toString()
      if (text.includes('}')) resolve(text)
    })
    socket.on('error', () => resolve(text))
    socket.on('close', () => resolve(text))
    const body = '{"id":1,"method":"eth_chainId"}'
    socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
  })
  return { answer, close: () => void socket.destroy() }
}

/** Connects as soon as there is room: a connection that is closed counts for a moment longer. */
const untilTaken = <Client>(open: () => Promise<Client>) => until(() => open().catch(() => undefined))

type Opened = { readonly node: NodeProcess; readonly wsUrl: string }

const defineOn = (runtime: RuntimeName, { beforeAll, afterAll, test }: Scenario): void => {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-ws-'))
  let open: Opened
  /** Takes two connections, and requests to two hosts. */
  let limited: Opened

  beforeAll(async () => {
    const start = async (name: string, ...args: readonly string[]): Promise<Opened> => {
      const all = ['--rpc-ws-enabled', '--rpc-ws-port=0', ...args]
      const node = await startNode(join(folder, name), all, { runtime })
      return { node, wsUrl: node.wsUrl as string }
    }
    open = await start('open', `--rpc-ws-max-frame-size=${FRAME_BYTES_MAX}`)
    limited = await start(
      'limited',
      '--rpc-ws-max-active-connections=2',
      '--host-allowlist=127.0.0.1,localhost,node.example.org',
    )
  })
  afterAll(async () => {
    await Promise.all([open.node.stop(), limited.node.stop()])
    rmSync(folder, { recursive: true, force: true })
  })

  test('given the longest frame, when a longer one or too many come, then the connection closes', async () => {
    const { wsUrl } = open
    const frames = await connectRawWs(wsUrl)
    // Bun shows no frames, so that a message may have there what one frame may.
    const text = requestOf((runtime === 'bun' ? 1 : 4) * FRAME_BYTES_MAX)
    const quarter = text.length / 4
    frames.send(...[0, 1, 2, 3].map(i => text.slice(i * quarter, (i + 1) * quarter)))
    await until(() => frames.received().includes('"result":"0x539"'))
    frames.send(...[0, 1, 2, 3].map(i => text.slice(i * quarter, (i + 1) * quarter)), ' ')
    await frames.closed
    expect(frames.received()).toContain(MESSAGE_TOO_BIG)

    const client = await connectWs(wsUrl)
    expect(await client.exchange(requestOf(FRAME_BYTES_MAX))).toMatchObject({ result: '0x539' })
    client.send(requestOf(FRAME_BYTES_MAX + 1))
    expect((await client.closed).code).toBe(1009)
    const first = await connectRawWs(wsUrl)
    first.send('x'.repeat(FRAME_BYTES_MAX + 1), '{}')
    await first.closed
    expect(first.received()).toContain(MESSAGE_TOO_BIG)
    expect(await (await connectWs(wsUrl)).call('eth_chainId')).toBe('0x539')
  })

  test('given a long answer, when it is sent, then it is one message, and others follow it', async () => {
    const { wsUrl } = open
    const client = await connectWs(wsUrl)
    // Counts down from 2,000 with four long words below.
    const words = [1, 2, 3, 4].map(i => `7f${String(i).repeat(64)}`).join('')
    const data = `0x${words}6107d05b600190038060875700`
    const [traced, next] = await Promise.all([
      client.call<{ structLogs: { stack: string[] }[] }>(
        'debug_traceCall',
        { data, gas: '0xf4240' },
        'latest',
        {},
      ),
      client.call('eth_chainId'),
    ])
    expect(next).toBe('0x539')
    expect(traced.structLogs.length).toBe(5 + 2000 * 7 + 1)
    expect(traced.structLogs.at(-1)?.stack.length).toBe(5)
  })

  test('given a WebSocket, when requests, batches and subscriptions come, then they are answered, and a stop is announced', async () => {
    const { node, wsUrl } = open
    const client = await connectWs(`${wsUrl}/any/path`, { protocols: ['undefined'] })
    expect(client.protocol).toBe('undefined')
    expect(await client.call('eth_chainId')).toBe('0x539')
    expect(await client.exchange(new TextEncoder().encode('{"id":1,"method":"eth_blockNumber"}'))).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: '0x0',
    })
    const id = await client.call<string>('eth_subscribe', 'newHeads')
    await mine(node, 2)
    const [first, second] = (await client.results(id, 2)) as { number: string }[]
    expect(first).toEqual(await node.rpc('eth_getBlockByNumber', '0x1', false))
    expect(second?.number).toBe('0x2')
    expect(await node.stop()).toBe(0)
    expect(await client.closed).toEqual({ code: 1001, reason: 'The node is stopping' })
  })

  test('given the limit of connections, when one more comes, then it is refused until another ends', async () => {
    const { wsUrl } = limited
    const clients = await Promise.all([1, 2].map(() => connectWs(wsUrl)))
    expect(await refusalOf(connectWs(wsUrl))).toBeInstanceOf(HandshakeFailed)
    expect(String(await refusalOf(connectRawWs(wsUrl)))).toContain('HTTP/1.1 503')
    clients[0]?.close()
    const next = await untilTaken(() => connectWs(wsUrl))
    expect(await next.call('eth_chainId')).toBe('0x539')
    for (const client of [...clients, next]) client.close()
  })

  test('given an upgrade, when its host is not allowed, then it is refused; plain HTTP learns what the port is', async () => {
    const { wsUrl } = limited
    const url = wsUrl.replace('ws:', 'http:')
    const headers = { host: 'Node.Example.org:1' }
    const other = 'other.example.org'
    expect(String(await refusalOf(connectRawWs(wsUrl, undefined, other)))).toContain('HTTP/1.1 403 Forbidden')
    const client = await untilTaken(() => connectWs(wsUrl, { headers }))
    expect(await client.call('net_version')).toBe('1337')
    client.close()
    const plain = await fetch(url, { headers })
    expect([plain.status, await plain.text()]).toEqual([400, "Websocket endpoint can't handle HTTP requests"])
    const refused = await fetch(url, { headers: { host: other } })
    expect([refused.status, await refused.text()]).toEqual([
      403,
      '{"message":"Host not authorized. --host-allowlist names the hosts that are."}',
    ])
    const login = await fetch(`${url}/login`, { method: 'POST', headers, body: '{}' })
    expect(login.status).toBe(400)
  })

  test('given a reader that stops, when much is sent, then memory is limited, and it is disconnected with the reason', async () => {
    const { node, wsUrl } = limited
    const subscribe = JSON.stringify(
      Array.from({ length: CONNECTION_SUBSCRIPTIONS_MAX }, (_, id) => ({
        id,
        method: 'eth_subscribe',
        params: ['newHeads'],
      })),
    )
    /** A reader that stops, and to which much is sent until a reader beside it, which is told after it, has all of it. */
    const stopped = async () => {
      const reader = await untilTaken(() => connectRawWs(wsUrl))
      reader.send(subscribe)
      await until(() => reader.received().includes(']'))
      reader.pause()
      const beside = await untilTaken(() => connectWs(wsUrl))
      const heads = await beside.call<string>('eth_subscribe', 'newHeads')
      // Each block is nearly two megabytes to the reader; what its socket takes is ten at most. No more than it takes:
      // who is cut off has five seconds to read why.
      await mine(node, 9)
      await beside.results(heads, 9)
      beside.close()
      return reader
    }
    const late = await stopped()
    late.resume()
    await late.closed
    expect(late.received()).toContain(`"error":{"code":-32005,"message":"${SLOW}"}`)
    expect(tellsPolicyViolation(late.received(), SLOW)).toBe(true)
    expect(late.receivedBytes).toBeGreaterThan(NOTIFICATION_BUFFER_BYTES_MAX)
    const never = await stopped()
    // Both places are free once the one that reads nothing is cut off.
    await untilTaken(() => connectWs(wsUrl))
    await untilTaken(() => connectWs(wsUrl))
    never.resume()
    await never.closed
    expect(never.received()).not.toContain(SLOW)
  })

  test('given the limit of HTTP, when one more connection comes, then it is closed without an answer', () =>
    withFolder(async folder => {
      const node = await startNode(folder, ['--rpc-http-max-active-connections=3'], { runtime })
      const connections = []
      // What startNode asked with may still be open, so that the limit is met by one of the first.
      for (let i = 0; i < 4; i++) connections.push(await askOnOwnConnection(node.url))
      const answered = connections.filter(({ answer }) => answer.includes('"result":"0x539"'))
      expect(answered.length).toBeGreaterThanOrEqual(2)
      expect(connections.map(({ answer }) => answer).slice(answered.length)).toEqual(
        Array.from({ length: 4 - answered.length }, () => ''),
      )
      expect(answered.length).toBeLessThan(4)
      for (const { close } of connections) close()
      await until(async () => {
        const { answer, close } = await askOnOwnConnection(node.url)
        close()
        return answer !== ''
      })
      expect(await node.stop()).toBe(0)
    }))
}

for (const runtime of RUNTIMES)
  scenario(`WebSocket on ${runtime}`, own => defineOn(runtime, own), { skip: !isInstalled(runtime) })
