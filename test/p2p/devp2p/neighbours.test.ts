import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'bun:test'
import { encodeRlp } from '../../../core/rlp/rlp.ts'
import { decodeNeighbours, encodeNeighbours } from '../../../p2p/devp2p/node/neighbours.ts'
import { until } from '../../support/until.ts'
import { BLOCKS, type Devp2pTestNode, statusAt, withDevp2pNodes } from './nodes.ts'
import type { SampleBlock } from './sampleBlocks.ts'
import { connectScripted } from './scriptedPeer.ts'

const START = BLOCKS[0] as SampleBlock
/** The id of the only message of quorate/1 behind eth/69 and istanbul/100. */
const NEIGHBOURS_ID = 0x38
const CAPABILITIES = [
  ['eth', 69],
  ['istanbul', 100],
  ['quorate', 1],
] as const
const STATUS = { version: 69, head: { hash: START.hash, range: { earliest: 0n, latest: 0n } } }

const neighboursOf = ({ network }: Devp2pTestNode) => network.peers()[0]?.status.neighbours ?? []

describe('given two nodes of this software over devp2p', () => {
  test('when they connect, and when the peers of one change, then the other knows them', async () => {
    await withDevp2pNodes(async start => {
      const first = [randomBytes(20), randomBytes(20)].map(bytes => new Uint8Array(bytes))
      const listener = await start({ status: statusAt(START, { neighbours: first }) })
      const dialer = await start({ staticNodes: [listener.network.enode] })
      await until(() => neighboursOf(dialer).length === first.length)
      expect(neighboursOf(dialer)).toEqual(first)
      expect(dialer.statuses.at(-1)?.neighbours).toEqual(first)
      listener.status = statusAt(START, { neighbours: first.slice(1) })
      listener.network.sendStatus()
      await until(() => neighboursOf(dialer).length === 1)
      const told = dialer.statuses.length
      listener.network.sendStatus()
      listener.status = statusAt(START, { neighbours: [] })
      listener.network.sendStatus()
      await until(() => neighboursOf(dialer).length === 0)
      expect(dialer.statuses.length).toBe(told + 1)
    })
  })
})

describe('given a peer that tells its neighbours', () => {
  test.each([
    ['that are no addresses', encodeRlp([new Uint8Array(21)])],
    ['that are too many', encodeRlp(Array.from({ length: 1025 }, () => new Uint8Array(20)))],
    ['in too many bytes', new Uint8Array(40_000)],
  ])('when it tells some %s, then it is disconnected', async (_, payload) => {
    await withDevp2pNodes(async start => {
      const node = await start()
      const peer = await connectScripted(node.network.enode, { capabilities: CAPABILITIES })
      peer.sendStatus(STATUS)
      await until(() => node.network.peers().length === 1)
      peer.send(NEIGHBOURS_ID, payload)
      await until(() => peer.isClosed())
      expect(peer.reason()).toBe(0x02)
    })
  })

  test('when they change all the time, then it is reported', async () => {
    await withDevp2pNodes(async start => {
      const node = await start({ handlers: { roleOf: () => 'other' } })
      const peer = await connectScripted(node.network.enode, { capabilities: CAPABILITIES })
      peer.sendStatus(STATUS)
      await until(() => node.network.peers().length === 1)
      for (let count = 0; count < 200; count++) peer.send(NEIGHBOURS_ID, encodeNeighbours([]))
      await until(() => node.lines.some(line => line.includes('its neighbours change too often')))
      peer.close()
    })
  })

  test('when there are more than a message takes, then the first ones are told', () => {
    const many = Array.from({ length: 1100 }, () => new Uint8Array(20).fill(7))
    expect(decodeNeighbours(encodeNeighbours(many))).toHaveLength(1024)
  })
})
