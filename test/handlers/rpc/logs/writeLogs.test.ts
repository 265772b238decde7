import { expect, test } from 'bun:test'
import type { Log } from '../../../../core/block/receipt.ts'
import type { BlockLogs } from '../../../../core/store/logs/blockLogs.ts'
import { createLogsWriter } from '../../../../handlers/rpc/logs/writeLogs.ts'
import { foundLogShape } from '../../../../handlers/rpc/shapes/receipt.ts'

const filled = (length: number, byte: number): Uint8Array => new Uint8Array(length).fill(byte)

const blockOf = (number: bigint): BlockLogs => ({
  number,
  hash: filled(32, Number(number)),
  timestamp: 1_700_000_000n + number,
  receipts: [],
  transactionHash: index => filled(32, 0x10 + index),
})

const logOf = (topics: number, dataBytes: number): Log => ({
  address: filled(20, 0xa0),
  topics: Array.from({ length: topics }, (_, topic) => filled(32, topic)),
  data: crypto.getRandomValues(new Uint8Array(dataBytes)),
})

test('given logs of several transactions and blocks, when they are written, then the text is that of their shapes', () => {
  const places = [0, 1, 2, 3, 4].flatMap(topics =>
    [0, 1, 32, 5000].flatMap(dataBytes =>
      [blockOf(0n), blockOf(7n)].map(
        (block, index) => [logOf(topics, dataBytes), block, topics, index] as const,
      ),
    ),
  )
  const writer = createLogsWriter(undefined)
  for (const place of places) writer.add(...place)
  expect(writer.finish().text).toBe(JSON.stringify(places.map(place => foundLogShape(...place))))
  expect(createLogsWriter(undefined).finish().text).toBe('[]')
})
