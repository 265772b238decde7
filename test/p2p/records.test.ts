import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { joinPieces, piecesOf } from '../../p2p/blocks/records.ts'
import { type Node, startTestNode } from './networks.ts'
import { until } from '../support/until.ts'
import { rejection } from '../support/rejection.ts'

setDefaultTimeout(60_000)

const nodes: Node[] = []
afterEach(async () => {
  for (const one of nodes.splice(0)) await one.stop()
})

const list = async function* <T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items
}

const record = (length: number, fill: number): Uint8Array => new Uint8Array(length).fill(fill)

describe('given records in pieces', () => {
  test('when they are joined, then each is whole', async () => {
    const records = [record(1, 1), record(256 * 1024, 2), record(700_000, 3)]
    const pieces = records.flatMap(one => [...piecesOf(one)])
    expect(pieces.length).toBe(5)
    expect(await Array.fromAsync(joinPieces(list(pieces)))).toEqual(records)
  })

  test('when a piece is malformed, a record incomplete or too long, then it is refused', async () => {
    const joined = (pieces: Iterable<Uint8Array>) => Array.fromAsync(joinPieces(list(pieces)))
    expect(String(await rejection(joined([new Uint8Array([1])])))).toContain('without its first byte')
    expect(String(await rejection(joined([new Uint8Array([2, 0])])))).toContain('without its first byte')
    expect(String(await rejection(joined([new Uint8Array([0, 1])])))).toContain('an incomplete record')
    const endless = Array.from({ length: 257 }, () => record(256 * 1024 + 1, 0))
    expect(String(await rejection(joined(endless)))).toContain('more than 67108864 bytes')
  })
})

describe('given two nodes that are connected', () => {
  const connected = async (records: (from: bigint, count: number) => AsyncIterable<Uint8Array>) => {
    const server = await startTestNode({ records })
    const client = await startTestNode({ staticNodes: [server.network.enode] })
    nodes.push(server, client)
    const peer = await until(() => client.network.peers()[0])
    return (from: bigint, count: number) =>
      Array.fromAsync(
        joinPieces(client.network.requestRecords(peer, from, count, AbortSignal.timeout(30_000))),
      )
  }

  test('when one requests records, then it gets them up to the limits of an answer', async () => {
    const asked: number[] = []
    const request = await connected(async function* (from, count) {
      asked.push(count)
      for (let number = Number(from); number < Number(from) + count; number++)
        yield record(1_000_000, number & 255)
    })
    const got = await request(5n, 3)
    expect(got.map(({ length, 0: first }) => [length, first])).toEqual([
      [1_000_000, 5],
      [1_000_000, 6],
      [1_000_000, 7],
    ])
    // The answer ends with the record that passes 8 MiB, and no request is for more than 256 records.
    expect((await request(0n, 60_000)).length).toBe(9)
    expect(asked).toEqual([3, 256])
  })
})
