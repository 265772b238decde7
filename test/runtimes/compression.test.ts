import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, inflateSync } from 'node:zlib'
import { expect } from 'bun:test'
import { withFolder } from '../runtime/folder.ts'
import { isInstalled, type NodeProcess, type RuntimeName, startNode } from '../runtime/nodeProcess.ts'
import { connectRawWs, framesOf, type RawWs } from '../runtime/rawWs.ts'
import { connectWs } from '../runtime/wsClient.ts'
import { type Scenario, scenario } from '../support/scenario.ts'
import { until } from '../support/until.ts'

const RUNTIMES: readonly RuntimeName[] = ['bun', 'node', 'deno']

const FRAME_BYTES_MAX = 256 * 1024

/** Some forty thousand characters. */
const DISCOVER = '{"jsonrpc":"2.0","id":1,"method":"rpc_discover"}'

/** Longer than what is compressed for clients on this machine. */
const BATCH = `[${Array.from({ length: 8 }, () => DISCOVER).join(',')}]`

/** 1009, as a close frame has it. */
const CODE_TOO_BIG = '\x03\xf1'

type Answer = {
  readonly coding: string | undefined
  readonly vary: string | undefined
  readonly bytes: Buffer
}

/** With no header of its own beside those given. */
const post = (url: string, body: string, headers: Record<string, string>): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers, agent: false }, response => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({
          coding: response.headers['content-encoding'],
          vary: response.headers.vary,
          bytes: Buffer.concat(chunks),
        }),
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })

const WS = ['--rpc-ws-enabled', '--rpc-ws-port=0', `--rpc-ws-max-frame-size=${FRAME_BYTES_MAX}`]

/** What comes back to the next message. */
const nextFrame = async (socket: RawWs, send: () => void): ReturnType<typeof nextOf> => {
  const before = framesOf(socket.received()).length
  send()
  return await nextOf(socket, before)
}

const nextOf = (socket: RawWs, index: number) => until(() => framesOf(socket.received())[index])

const expectCompressedAnswers = async (url: string): Promise<void> => {
  const plain = await post(url, BATCH, {})
  expect([plain.coding, plain.vary]).toEqual([undefined, undefined])
  const zipped = await post(url, BATCH, { 'accept-encoding': 'gzip, deflate' })
  expect([zipped.coding, zipped.vary]).toEqual(['gzip', 'accept-encoding'])
  expect(zipped.bytes.length).toBeLessThan(plain.bytes.length / 4)
  expect(gunzipSync(zipped.bytes).equals(plain.bytes)).toBe(true)
  const deflated = await post(url, BATCH, { 'accept-encoding': 'gzip;q=0.1, deflate' })
  expect(deflated.coding).toBe('deflate')
  expect(inflateSync(deflated.bytes).equals(plain.bytes)).toBe(true)
  // A client that asks unasked, and reads by itself what comes.
  const fetched = await fetch(url, { method: 'POST', body: BATCH })
  expect(await fetched.text()).toBe(plain.bytes.toString())

  const short = await post(url, DISCOVER, { 'accept-encoding': 'gzip' })
  expect(short.coding).toBeUndefined()
  const proxied = await post(url, DISCOVER, {
    'accept-encoding': 'gzip',
    'x-forwarded-for': '192.0.2.1',
  })
  expect(gunzipSync(proxied.bytes).equals(short.bytes)).toBe(true)
}

const defineOn = (runtime: RuntimeName, { beforeAll, afterAll, test }: Scenario): void => {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-'))
  let node: NodeProcess

  beforeAll(async () => {
    node = await startNode(folder, WS, { runtime })
  })
  afterAll(async () => {
    await node.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('given answers over HTTP, when the client accepts a coding, then they are compressed with it', () =>
    expectCompressedAnswers(node.url))

  // With a limit of connections Bun and Deno serve with another server.
  test('given a limit of connections, when the client accepts a coding, then answers are compressed, too', () =>
    withFolder(async folder => {
      const limited = await startNode(folder, ['--rpc-http-max-active-connections=80'], { runtime })
      try {
        await expectCompressedAnswers(limited.url)
      } finally {
        await limited.stop()
      }
    }))

  test('given a WebSocket with compression, when answers are long, then they are compressed', async () => {
    const { wsUrl = '' } = node
    const plain = await connectRawWs(wsUrl)
    const expected = await nextFrame(plain, () => plain.send(DISCOVER))
    expect(expected.isCompressed).toBe(false)
    plain.destroy()

    const socket = await connectRawWs(wsUrl, 'permessage-deflate; client_max_window_bits')
    expect(socket.received()).toMatch(/server_no_context_takeover/)
    expect(socket.received()).toMatch(/client_no_context_takeover/)
    const short = await nextFrame(socket, () => socket.sendCompressed('{"id":1,"method":"eth_chainId"}'))
    expect(short).toEqual({ isCompressed: false, text: '{"jsonrpc":"2.0","id":1,"result":"0x539"}' })
    // Twice: neither leans on the other.
    for (let i = 0; i < 2; i++)
      expect(await nextFrame(socket, () => socket.sendCompressed(DISCOVER))).toEqual({
        ...expected,
        isCompressed: true,
      })
    expect(await nextFrame(socket, () => socket.send(DISCOVER))).toMatchObject({ isCompressed: true })
    socket.destroy()

    const client = await connectWs(wsUrl)
    expect(await client.exchange(DISCOVER)).toEqual(JSON.parse(expected.text))
    client.close()
  })

  test('given a short message that inflates beyond the limit, when it comes, then its connection closes, and no other', async () => {
    const { wsUrl = '' } = node
    const call = '{"id":1,"method":"eth_chainId"}'
    const socket = await connectRawWs(wsUrl, 'permessage-deflate')
    const longest = call.padEnd(FRAME_BYTES_MAX)
    expect((await nextFrame(socket, () => socket.sendCompressed(longest))).text).toContain('0x539')
    socket.sendCompressed(call.padEnd(64 * 1024 * 1024))
    await socket.closed
    expect(socket.received()).toContain(CODE_TOO_BIG)
    expect(await (await connectWs(wsUrl)).call('eth_chainId')).toBe('0x539')
  })
}

for (const runtime of RUNTIMES)
  scenario(`compression on ${runtime}`, own => defineOn(runtime, own), { skip: !isInstalled(runtime) })
