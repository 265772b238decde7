import { createSocket, type Socket } from 'node:dgram'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { expect, test } from 'bun:test'
import { decodeMessage, encodeMessage, type Message } from '../../../../p2p/devp2p/discovery/messages.ts'
import { decodePacket, encodePacket } from '../../../../p2p/devp2p/discovery/packet.ts'
import { parseEnode } from '../../../../p2p/transport/enode.ts'
import { until } from '../../networks.ts'
import { withDevp2pNodes } from '../nodes.ts'

/** A node is not pinged again within 5 s. */
const PINGED_AGAIN_MS = 6_000

type Sent = Exclude<Message, { kind: 'enrResponse' }>
type Heard = { readonly hash: Uint8Array; readonly message: Message }

/** Sends the packets of one key from one address. */
const openEndpoint = async (host: string, port: number, privateKey: Uint8Array) => {
  const socket: Socket = createSocket('udp4')
  socket.bind(0, host)
  await once(socket, 'listening')
  const heard: Heard[] = []
  socket.on('message', bytes => {
    const packet = decodePacket(new Uint8Array(bytes))
    const message = decodeMessage(packet.type, packet.content)
    if (message !== undefined) heard.push({ hash: packet.hash, message })
  })
  const send = (message: Sent): void => {
    const { type, content } = encodeMessage(message)
    socket.send(encodePacket(privateKey, type, content).bytes, port, '127.0.0.1')
  }
  const endpoint = { host, udp: socket.address().port, tcp: 0 }
  const expiry = Math.floor(Date.now() / 1000) + 60
  const kinds = (kind: Message['kind']) => heard.filter(({ message }) => message.kind === kind)
  return {
    kinds,
    ping: () => send({ kind: 'ping', from: endpoint, to: endpoint, expiry, recordSequence: 0n }),
    pong: (pingHash: Uint8Array) =>
      send({ kind: 'pong', to: endpoint, pingHash, expiry, recordSequence: 0n }),
    ask: () => send({ kind: 'findNode', target: new Uint8Array(64), expiry }),
    close: () => socket.close(),
  }
}

type TestEndpoint = Awaited<ReturnType<typeof openEndpoint>>

/** Runs with two addresses of one key that send to a node with discovery. */
const withEndpoints = (
  run: (first: TestEndpoint, second: TestEndpoint, advance: (ms: number) => void) => Promise<void>,
): Promise<void> =>
  withDevp2pNodes(async start => {
    let nowMs = Date.now()
    const node = await start({ discovery: true, nowMs: () => nowMs })
    const { port } = parseEnode(node.network.enode)
    const key = randomBytes(32)
    const first = await openEndpoint('127.0.0.1', port, key)
    const second = await openEndpoint('127.0.0.2', port, key)
    try {
      await run(first, second, ms => {
        nowMs += ms
      })
    } finally {
      first.close()
      second.close()
    }
  })

/** Pings the node, which pings back: the hash of that ping. */
const provokePing = async ({ ping, kinds }: TestEndpoint): Promise<Uint8Array> => {
  ping()
  await until(() => kinds('ping').length === 1)
  return kinds('ping')[0]?.hash as Uint8Array
}

/** Answers the ping of the node, and asks it for a list. */
const prove = async (endpoint: TestEndpoint): Promise<void> => {
  endpoint.pong(await provokePing(endpoint))
  endpoint.ask()
  await until(() => endpoint.kinds('neighbors').length === 1)
}

test('given a node that proved one address, when its packets come from another, then that gets no list until it is proven', async () => {
  await withEndpoints(async (own, victim) => {
    await prove(own)
    victim.ping()
    victim.ask()
    victim.ping()
    await until(() => victim.kinds('pong').length === 2)
    expect(victim.kinds('neighbors')).toEqual([])
    // A forged ping takes nothing from the proven address.
    own.ask()
    await until(() => own.kinds('neighbors').length === 2)
  })
})

test('given a ping to one address, when the answer comes from another, then that one is not proven', async () => {
  await withEndpoints(async (own, victim) => {
    victim.pong(await provokePing(own))
    victim.ask()
    victim.ping()
    await until(() => victim.kinds('pong').length === 1)
    expect(victim.kinds('neighbors')).toEqual([])
  })
})

test('given a node that proved one address, when it answers at another, then it is asked and told there', async () => {
  await withEndpoints(async (before, after, advance) => {
    await prove(before)
    advance(PINGED_AGAIN_MS)
    await prove(after)
  })
})
