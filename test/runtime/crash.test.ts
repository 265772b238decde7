import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { withFolder } from './folder.ts'
import { type NodeProcess, startNode, PROCESS_TEST_TIMEOUT_MS } from './nodeProcess.ts'
import { clientsOf } from './transactions.ts'

setDefaultTimeout(PROCESS_TEST_TIMEOUT_MS)

const ROUNDS = 4
const TARGET = '0x00000000000000000000000000000000000000cc'

/** Block by number, as JSON text, with its receipts and the balance after it. */
type Seen = Map<number, string>

const readBlock = async (node: NodeProcess, number: number): Promise<string> => {
  const tag = `0x${number.toString(16)}`
  const block = await node.rpc<{ readonly transactions: readonly { readonly hash: string }[] } | null>(
    'eth_getBlockByNumber',
    tag,
    true,
  )
  if (block === null) return 'none'
  const receipts = await Promise.all(
    block.transactions.map(({ hash }) => node.rpc('eth_getTransactionReceipt', hash)),
  )
  return JSON.stringify([block, receipts, await node.rpc('eth_getBalance', TARGET, tag)])
}

const headNumber = async (node: NodeProcess): Promise<number> =>
  Number(await node.rpc<string>('eth_blockNumber'))

/** Sends transfers one after the other and reads every block that appears, until the node is gone. */
const sendAndRead = async (node: NodeProcess, seen: Seen): Promise<void> => {
  const { wallet, reader, account } = clientsOf(node.url)
  let nonce = await reader.getTransactionCount({ address: account.address })
  for (;;) {
    try {
      await wallet.sendTransaction({
        to: TARGET,
        value: 1n,
        nonce: nonce++,
        gas: 21_000n,
        maxFeePerGas: 10n ** 10n,
        maxPriorityFeePerGas: 1n,
      })
      const number = await headNumber(node)
      if (!seen.has(number)) seen.set(number, await readBlock(node, number))
    } catch {
      // The node was killed; what it said until then is in `seen`.
      return
    }
  }
}

describe('given a node that is killed while it takes transactions', () => {
  test(`when that happens ${ROUNDS} times, then it starts again, and every block, receipt and balance reads the same`, () =>
    withFolder(async folder => {
      const seen: Seen = new Map()
      for (let round = 0; round < ROUNDS; round++) {
        const node = await startNode(folder)
        const highest = Math.max(0, ...seen.keys())
        const number = await headNumber(node)
        expect(number, `the head after kill ${round}`).toBeGreaterThanOrEqual(highest - 1)
        for (const [height, text] of seen)
          if (height <= number)
            expect(await readBlock(node, height), `block ${height} after kill ${round}`).toBe(text)
        const work = sendAndRead(node, seen)
        await Bun.sleep(150 + Math.random() * 400)
        await node.kill()
        await work
      }
      expect(seen.size).toBeGreaterThan(ROUNDS)
    }))
})
