import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'bun:test'
import { fromHex, toBareHex } from '../../../../core/bytes/hex.ts'
import { publicKeyOf } from '../../../../core/crypto/crypto.ts'
import { DiscoveryError } from '../../../../p2p/devp2p/discovery/error.ts'
import { decodeMessage, encodeMessage, PACKET_TYPES } from '../../../../p2p/devp2p/discovery/messages.ts'
import { decodePacket, encodePacket } from '../../../../p2p/devp2p/discovery/packet.ts'
import { encodeRecord } from '../../../../p2p/devp2p/discovery/record.ts'
import { decodeRlp, encodeRlp, RlpError, type RlpItem } from '../../../../core/rlp/rlp.ts'
import { DecodeError } from '../../../../core/block/codec/error.ts'
import { until } from '../../networks.ts'
import { seededRandom } from '../../../support/random.ts'
import { rejection } from '../../../support/rejection.ts'
import { withDevp2pNodes } from '../nodes.ts'
import * as vectors from './vectors.ts'

const KEY = fromHex('b71c71a67e1177ad4e901695e1b4b9ee17ae16c6668d313eac2f96dbcda3f291')
const EXPIRY = 1_136_239_445

const read = (bytes: Uint8Array) => {
  const packet = decodePacket(bytes)
  expect(packet.publicKey).toEqual(publicKeyOf(KEY))
  return decodeMessage(packet.type, packet.content)
}

describe("given EIP-8's packets", () => {
  test('when a ping is read, then it may have a version and items of later protocols', () => {
    const ping = {
      kind: 'ping',
      from: { host: '127.0.0.1', udp: 3322, tcp: 5544 },
      to: { host: '0:0:0:0:0:0:0:1', udp: 2222, tcp: 3333 },
      expiry: EXPIRY,
    }
    expect(read(vectors.PING)).toMatchObject({ ...ping, recordSequence: 0n })
    expect(read(vectors.PING_WITH_SEQUENCE)).toMatchObject({ ...ping, recordSequence: 1n })
  })

  test('when a request for nodes is read, then the target is known', () => {
    expect(read(vectors.FIND_NODE)).toMatchObject({ kind: 'findNode', expiry: EXPIRY })
  })

  test('when neighbors are read, then they have addresses of both families', () => {
    const message = read(vectors.NEIGHBORS)
    expect(message).toMatchObject({ kind: 'neighbors', expiry: EXPIRY })
    const endpoints = message?.kind === 'neighbors' ? message.nodes.map(({ endpoint }) => endpoint) : []
    expect(endpoints).toEqual([
      { host: '99.33.22.55', udp: 4444, tcp: 4445 },
      { host: '1.2.3.4', udp: 1, tcp: 1 },
      { host: '2001:db8:3c4d:15:0:0:abcd:ef12', udp: 3333, tcp: 3333 },
      { host: '2001:db8:85a3:8d3:1319:8a2e:370:7348', udp: 999, tcp: 1000 },
    ])
  })
})

describe('given packets', () => {
  const { type, content } = encodeMessage({
    kind: 'pong',
    to: { host: '2001:db8::1', udp: 1, tcp: 2 },
    pingHash: new Uint8Array(32).fill(3),
    expiry: EXPIRY,
    recordSequence: 7n,
  })

  test('when they are written, then they read back', () => {
    expect(read(encodePacket(KEY, type, content).bytes)).toMatchObject({
      kind: 'pong',
      to: { host: '2001:db8:0:0:0:0:0:1', udp: 1, tcp: 2 },
      recordSequence: 7n,
    })
  })

  test('when any bytes arrive, then they are read or refused', () => {
    const random = seededRandom(5)
    const { bytes } = encodePacket(KEY, type, content)
    for (let run = 0; run < 300; run++) {
      const damaged = bytes.slice(0, run % 3 === 0 ? random.below(bytes.length) : bytes.length)
      if (damaged.length > 0) damaged[random.below(damaged.length)] = random.below(256)
      try {
        decodePacket(damaged)
      } catch (error) {
        if (!(error instanceof DiscoveryError || error instanceof RlpError)) throw error
      }
      const inner = content.slice()
      inner[random.below(inner.length)] = random.below(256)
      try {
        decodeMessage(1 + random.below(6), inner)
      } catch (error) {
        if (!(error instanceof RlpError || error instanceof DecodeError)) throw error
      }
    }
  })
})

test('given a node record, when it is written, then it has the fork id, and fits', () => {
  const forkId = { hash: fromHex('fc64ec04'), next: 1_150_000n }
  const record = encodeRecord(KEY, 5n, { host: '10.0.0.1', udp: 30_303, tcp: 30_303 }, forkId)
  const [signature, sequence, key, entry] = decodeRlp(record) as readonly RlpItem[]
  expect([signature, sequence, key]).toEqual([
    expect.any(Uint8Array),
    Uint8Array.of(5),
    new TextEncoder().encode('eth'),
  ])
  expect(entry).toEqual([[forkId.hash, fromHex('118c30')]])
  // EIP-778 allows no more.
  expect(record.length).toBeLessThanOrEqual(300)
})

test('given three nodes of which two know the first alone, then all find each other by UDP', async () => {
  await withDevp2pNodes(async start => {
    const first = await start({ discovery: true })
    const options = { discovery: true, bootnodes: [first.network.enode] }
    const nodes = [first, await start(options), await start(options)]
    await until(() => nodes.every(({ network }) => network.peers().length === 2))
    const keys = nodes.map(({ network }) => network.enode.slice(8, 136)).sort()
    for (const { network } of nodes) {
      const known = [
        network.enode.slice(8, 136),
        ...network.peers().map(({ publicKey }) => toBareHex(publicKey)),
      ]
      expect(known.sort()).toEqual(keys)
    }
  })
})

test('given a port that is taken by another program, then the node says so', async () => {
  await withDevp2pNodes(async start => {
    const one = await start({ discovery: true, privateKey: randomBytes(32) })
    expect(await rejection(start({ discovery: true, port: one.network.port }))).toMatchObject({
      code: 'PORT_IN_USE',
    })
  })
})

test('given an expiry beyond signed numbers of 64 bits, then the packet has expired, as for other clients', () => {
  const expired = encodeRlp([new Uint8Array(64), 2n ** 64n - 20n])
  expect(decodeMessage(PACKET_TYPES.findNode, expired)).toMatchObject({ kind: 'findNode', expiry: 0 })
})
