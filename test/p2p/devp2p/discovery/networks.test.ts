import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:dgram'
import { EventEmitter } from 'node:events'
import { describe, expect, test } from 'bun:test'
import { publicKeyOf } from '../../../../core/crypto/crypto.ts'
import { createBonds } from '../../../../p2p/devp2p/discovery/bonds.ts'
import { startDiscovery } from '../../../../p2p/devp2p/discovery/discovery.ts'
import type { Endpoint } from '../../../../p2p/devp2p/discovery/endpoint.ts'
import {
  decodeMessage,
  encodeMessage,
  type Message,
  NEIGHBORS_MAX,
} from '../../../../p2p/devp2p/discovery/messages.ts'
import { decodePacket, encodePacket } from '../../../../p2p/devp2p/discovery/packet.ts'

const PORT = 30_303
const at = (host: string): Endpoint => ({ host, udp: PORT, tcp: PORT })
const hex = (index: number): string => index.toString(16)

const EXPIRY = 4_000_000_000
/** A node is not pinged again within 5 s. */
const PINGED_AGAIN_MS = 6_000

type Sent = { readonly host: string; readonly message: Message | undefined; readonly hash: Uint8Array }

/** Discovery over a socket whose packets come from any address. */
const startOverAddresses = () => {
  let nowMs = 1_000_000
  const sent: Sent[] = []
  const send = (bytes: Uint8Array, _port: number, host: string, done: () => void): void => {
    const { type, content, hash } = decodePacket(bytes)
    sent.push({ host, message: decodeMessage(type, content), hash })
    done()
  }
  const socket = Object.assign(new EventEmitter(), { send, close: () => undefined })
  const privateKey = randomBytes(32)
  const found: string[] = []
  const note = (): void => undefined
  const discovery = startDiscovery({
    socket: socket as unknown as Socket,
    privateKey,
    ownKey: publicKeyOf(privateKey),
    endpoint: at('192.0.2.1'),
    bootnodes: [],
    record: () => ({ sequence: 1n, bytes: Uint8Array.of(0xc0) }),
    wantsPeers: () => true,
    onNode: ({ host }) => void found.push(host),
    random: randomBytes,
    nowMs: () => nowMs,
    log: { debug: note, info: note, warn: note, error: note },
  })
  const packetOf = (key: Uint8Array, message: Exclude<Message, { kind: 'enrResponse' }>): Uint8Array => {
    const { type, content } = encodeMessage(message)
    return encodePacket(key, type, content).bytes
  }
  const receive = (bytes: Uint8Array, host: string): void =>
    void socket.emit('message', bytes, { address: host, port: PORT })
  const pingOf = (key: Uint8Array): Uint8Array =>
    packetOf(key, { kind: 'ping', from: at('::'), to: at('::'), expiry: EXPIRY, recordSequence: 0n })
  return {
    sent,
    found,
    receive,
    pingOf,
    ping: (key: Uint8Array, host: string) => receive(pingOf(key), host),
    /** Answers the last ping that was sent to the address. */
    pong: (key: Uint8Array, host: string) => {
      const last = sent.findLast(each => each.host === host && each.message?.kind === 'ping')
      if (last !== undefined)
        receive(
          packetOf(key, {
            kind: 'pong',
            to: at(host),
            pingHash: last.hash,
            expiry: EXPIRY,
            recordSequence: 0n,
          }),
          host,
        )
    },
    pongsTo: (prefix: string) =>
      sent.filter(({ host, message }) => host.startsWith(prefix) && message?.kind === 'pong').length,
    advance: (ms: number) => {
      nowMs += ms
    },
    stop: () => discovery.stop(),
  }
}

/** Runs with a discovery of its own. */
const withDiscovery = (run: (discovery: ReturnType<typeof startOverAddresses>) => void): void => {
  const discovery = startOverAddresses()
  try {
    run(discovery)
  } finally {
    discovery.stop()
  }
}

describe('given the table of nodes', () => {
  test.each([
    ['an attacker with 2^64 addresses', (index: number) => `2001:db8:1:2::${hex(index)}`],
    ['an attacker with 2^80 addresses', (index: number) => `2001:db8:1:${hex(index)}::1`],
    ['an attacker with 256 addresses', (index: number) => `203.0.113.${index}`],
  ])('when %s adds a node at each, then eight find a place, and other networks still do', (_, hostOf) => {
    const bonds = createBonds(() => 0)
    const added = (hosts: readonly string[]): number =>
      hosts.filter(host => bonds.of(randomBytes(64), at(host)) !== undefined).length
    expect(added(Array.from({ length: 200 }, (_, index) => hostOf(index)))).toBe(8)
    expect(added(['2001:db8:2::1', '203.0.114.1'])).toBe(2)
    expect(added(Array.from({ length: 20 }, (_, index) => `fd00::${hex(index)}`))).toBe(20)
  })
})

test('given as many nodes with IPv6 addresses as an answer has, then it fits the largest packet', () => {
  const nodes = Array.from({ length: NEIGHBORS_MAX + 1 }, (_, index) => ({
    endpoint: at(`2001:db8:ffff:ffff:ffff:ffff:ffff:${hex(index + 0x1000)}`),
    publicKey: new Uint8Array(randomBytes(64)),
  }))
  const { type, content } = encodeMessage({ kind: 'neighbors', nodes, expiry: EXPIRY })
  const packet = decodePacket(encodePacket(randomBytes(32), type, content).bytes)
  const message = decodeMessage(packet.type, packet.content)
  expect(message).toMatchObject({ kind: 'neighbors', nodes: nodes.slice(0, NEIGHBORS_MAX) })
})

describe('given discovery', () => {
  test('when each of 2^64 addresses of an attacker sends a packet, then it answers no more than one address, and others still', () => {
    withDiscovery(({ pingOf, ping, receive, pongsTo }) => {
      const key = randomBytes(32)
      const bytes = pingOf(key)
      for (let index = 0; index < 200; index++) {
        receive(bytes, '203.0.113.1')
        receive(bytes, `2001:db8:1:2::${hex(index)}`)
      }
      expect(pongsTo('203.0.113.1')).toBeLessThan(200)
      expect(pongsTo('2001:db8:1:2:')).toBe(pongsTo('203.0.113.1'))
      ping(key, '2001:db8:1:3::1')
      expect(pongsTo('2001:db8:1:3:')).toBe(1)
    })
  })

  test('when each of the 2^16 networks of an attacker sends packets, then other sites are still answered', () => {
    withDiscovery(({ pingOf, ping, receive, pongsTo, advance }) => {
      const key = randomBytes(32)
      const bytes = pingOf(key)
      for (let index = 0; index < 1_200; index++) receive(bytes, `2001:db8:1:${hex(index)}::1`)
      ping(key, '2001:db8:2::1')
      expect(pongsTo('2001:db8:2:')).toBe(1)
      expect(pongsTo('2001:db8:1:')).toBeLessThan(1_000)
      // What was refused costs no later allowance.
      advance(1_000)
      ping(key, '2001:db8:1:ffff::1')
      expect(pongsTo('2001:db8:1:ffff:')).toBe(1)
    })
  })

  test('when nodes that it heard of at many networks answer from one, then no more than eight of them find a place there', () => {
    withDiscovery(({ ping, pong, found, advance }) => {
      const first = randomBytes(32)
      ping(first, '203.0.113.1')
      pong(first, '203.0.113.1')
      expect(found).toEqual(['203.0.113.1'])
      const keys = Array.from({ length: 12 }, () => randomBytes(32))
      // Each came from a network of its own first, and is not proven there.
      keys.forEach((key, index) => ping(key, `2001:db8:${hex(index + 16)}::1`))
      advance(PINGED_AGAIN_MS)
      keys.forEach((key, index) => ping(key, `2001:db8:1::${hex(index + 1)}`))
      keys.forEach((key, index) => pong(key, `2001:db8:1::${hex(index + 1)}`))
      expect(found.filter(host => host.startsWith('2001:db8:1::'))).toHaveLength(8)
    })
  })
})
