import { randomBytes } from 'node:crypto'
import { parseEnode } from '../../../p2p/transport/enode.ts'
import { enodeOf } from '../../cluster/support/ownNode.ts'
import type { Attack } from '../attack.ts'
import { closeAll, type Endpoint, httpOf, openSocket, type Sockets } from '../sockets.ts'

const SECONDS = 20
const TRICKLE_MS = 500

const LINE = 'POST / HTTP/1.1\r\nHost: localhost\r\n'
const TRICKLES: readonly (readonly [begin: string, drop: string])[] = [
  // Headers without an end, line by line and byte by byte.
  [LINE, 'x-a: b\r\n'],
  [LINE, 'x'],
  // Bodies, by length and in chunks.
  [`${LINE}Content-Length: 100000\r\n\r\n`, ' '],
  [`${LINE}Transfer-Encoding: chunked\r\n\r\n`, '1\r\n \r\n'],
  // Half of a request line, and a body of another path.
  ['PO', 'S'],
  ['POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000\r\n\r\n', ' '],
]
const TRICKLING = 900

const trickledRequests: Attack = {
  name: 'trickled-requests',
  what: `Opens ${TRICKLING} requests whose headers and bodies come byte by byte.`,
  run: async context => {
    const sockets: Sockets = { open: new Set(), ended: 0, refused: 0 }
    const drops = Array.from({ length: TRICKLING }, (_, index) => {
      const [begin, drop] = TRICKLES[index % TRICKLES.length] as readonly [string, string]
      return { socket: openSocket(sockets, httpOf(context, 1), begin), drop }
    })
    for (let ms = 0; ms < SECONDS * 1000; ms += TRICKLE_MS) {
      for (const { socket, drop } of drops) if (socket.writable) socket.write(drop)
      await Bun.sleep(TRICKLE_MS)
    }
    context.say(`${sockets.ended} of ${TRICKLING} were ended by the node`)
    closeAll(sockets)
    return []
  },
}

const HTTP_CONNECTIONS = 3_000

const httpConnections: Attack = {
  name: 'many-connections-of-one-address',
  what: `Opens ${HTTP_CONNECTIONS} connections from one address, with a request under way on each.`,
  run: async context => {
    const sockets: Sockets = { open: new Set(), ended: 0, refused: 0 }
    const begin = `${LINE}Content-Length: 100\r\n\r\n{`
    for (let count = 0; count < HTTP_CONNECTIONS; count++) {
      openSocket(sockets, httpOf(context, 1), begin)
      // In handfuls, as many clients would.
      if (count % 50 === 0) await Bun.sleep(10)
    }
    await Bun.sleep(SECONDS * 500)
    context.say(`${sockets.refused} had 503, ${sockets.open.size} are still open`)
    const tooMany = sockets.open.size > 1_100 && sockets.refused === 0
    closeAll(sockets)
    return tooMany ? ['no connection was refused'] : []
  },
}

const PIPELINES = 600
const CHAIN_ID_BODY = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
/** Many requests at once: with answers that take a turn of the event loop, and the shortest there are. */
const PIPELINED: readonly string[] = [
  `${LINE}Content-Length: ${CHAIN_ID_BODY.length}\r\n\r\n${CHAIN_ID_BODY}`.repeat(200),
  'GET / HTTP/1.1\r\nHost:a\r\n\r\n'.repeat(2_400),
]

const pipelinedRequests: Attack = {
  name: 'pipelined-requests',
  what: `Sends 200 requests at once on each of ${PIPELINES} connections, then 2,400 short ones, again and again.`,
  run: async context => {
    const sockets: Sockets = { open: new Set(), ended: 0, refused: 0 }
    for (let flood = 0; flood < SECONDS / 5; flood++) {
      const requests = PIPELINED[flood % PIPELINED.length] as string
      for (let count = 0; count < PIPELINES; count++) openSocket(sockets, httpOf(context, 1), requests)
      await Bun.sleep(5_000)
      closeAll(sockets)
    }
    context.say(`${sockets.ended} connections ended`)
    return []
  },
}

const P2P_SOCKETS = 1_500
/** What libp2p begins with: the selection of a protocol, of noise in the second. */
const P2P_BEGINNINGS: readonly Uint8Array[] = [
  new Uint8Array(0),
  Buffer.from('\x13/multistream/1.0.0\n'),
  Buffer.from('\x13/multistream/1.0.0\n\x07/noise\n'),
]

const peerConnections: Attack = {
  name: 'many-peer-sockets',
  what: `Opens ${P2P_SOCKETS} sockets to the p2p ports of all validators, silent or amid the handshake, again as they are ended.`,
  run: async ({ cluster, say }) => {
    const sockets: Sockets = { open: new Set(), ended: 0, refused: 0 }
    const ports = cluster.running().map(index => parseEnode(enodeOf(cluster.node(index))))
    let opened = 0
    for (let second = 0; second < SECONDS; second++) {
      while (sockets.open.size < P2P_SOCKETS && opened < (second + 1) * P2P_SOCKETS) {
        const beginning = P2P_BEGINNINGS[opened % P2P_BEGINNINGS.length] ?? randomBytes(32)
        openSocket(sockets, ports[opened % ports.length] as Endpoint, beginning)
        opened++
      }
      await Bun.sleep(1_000)
    }
    say(`${opened} sockets opened, ${sockets.ended} of them ended by the nodes`)
    closeAll(sockets)
    return []
  },
}

export const CONNECTION_ATTACKS: readonly Attack[] = [
  trickledRequests,
  httpConnections,
  pipelinedRequests,
  peerConnections,
]
