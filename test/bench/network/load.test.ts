import { expect, test } from 'bun:test'
import type { RecoveredTransaction } from '../../../core/block/transaction.ts'
import { EMPTY_BYTES } from '../../../core/bytes/bytes.ts'
import { errorText } from '../../../core/text/errorText.ts'
import { type LoadNode, runLoad } from './load.ts'
import { call } from './nodes.ts'

/** Takes every transaction, and makes no block. */
const withStalledNode = async (run: (node: LoadNode) => Promise<void>): Promise<void> => {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async request => {
      const body = (await request.json()) as { method: string } | readonly unknown[]
      return Response.json(Array.isArray(body) ? body.map(() => ({ result: '0x' })) : { result: '0x7' })
    },
  })
  const url = `http://127.0.0.1:${server.port}`
  try {
    await run({ url, rpc: (method, ...params) => call(url, method, params) })
  } finally {
    await server.stop(true)
  }
}

test('given a network without new blocks, when it is loaded, then the load ends with the block that was the last', () =>
  withStalledNode(async node => {
    const transaction = { transaction: { encoded: EMPTY_BYTES, hash: EMPTY_BYTES } } as RecoveredTransaction
    const load = runLoad({
      nodes: [node],
      transactions: [transaction],
      perSecond: undefined,
      seconds: 30,
      stalledMs: 50,
    })
    expect(await load.catch(errorText)).toBe('no block after block 7 for 0.05 s')
  }))
