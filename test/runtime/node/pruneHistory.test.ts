import { expect, setDefaultTimeout, test } from 'bun:test'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { toHex, toQuantity } from '../../../core/bytes/hex.ts'
import { until as untilBy } from '../../support/until.ts'
import { openNode } from '../../../runtime/node/opening/openNode.ts'
import { runHere } from '../commandLine.ts'
import { withFolder } from '../folder.ts'
import { testAddress, writeNetwork } from '../genesis.ts'
import { growChain } from '../growChain.ts'
import { type NodeProcess, PROCESS_TEST_TIMEOUT_MS, startNode } from '../nodeProcess.ts'

setDefaultTimeout(3 * PROCESS_TEST_TIMEOUT_MS)

/** More than the least that is kept, by more than a section of the log index. */
const BLOCKS = 1_120
const LEAST = 1_024
/** Every 10th block has a transfer. */
const EVERY = 10
const RECEIVER = testAddress(9)
const EMPTY_PATH = 'beef'.repeat(10)

/** On a busy machine a sync of these blocks takes its time. */
const until = (check: () => boolean | Promise<boolean>): Promise<unknown> =>
  untilBy(check, { timeoutMs: PROCESS_TEST_TIMEOUT_MS, pollMs: 100 })

const number = async (node: NodeProcess): Promise<number> => Number(await node.rpc<string>('eth_blockNumber'))

const startOf = async (node: NodeProcess): Promise<number> => {
  const { protocols } = await node.rpc<{ protocols: { eth: { earliestBlock?: string } } }>('admin_nodeInfo')
  return Number(protocols.eth.earliestBlock ?? 0)
}

const refusal = (node: NodeProcess, method: string, ...params: readonly unknown[]): Promise<string> =>
  node.rpc(method, ...params).then(
    () => 'answered',
    (error: Error) => error.message,
  )

/** What a node answers about some blocks, and about the state after them. */
const answersOf = async (node: NodeProcess, blocks: readonly number[]): Promise<readonly unknown[]> => {
  const answers: unknown[] = []
  for (const block of blocks) {
    const at = toQuantity(block)
    answers.push(
      await node.rpc('eth_getBlockByNumber', at, true),
      await node.rpc('eth_getBlockReceipts', at),
      await node.rpc('eth_getLogs', { fromBlock: at, toBlock: at }),
      await node.rpc('eth_getBalance', toHex(RECEIVER), at),
    )
  }
  return answers
}

/** The hash of the first transfer. */
const transactionOf = async (dataPath: string, genesisFile: string): Promise<string> => {
  const node = await openNode({ dataPath, genesisFile, storage: 'sqlite' })
  const record = await node.chain.store.record(BigInt(EVERY))
  await node.close()
  return toHex(record?.block.transactions[0]?.hash as Uint8Array)
}

test('given a validator with more blocks than --prune-history keeps, when it runs, is killed and starts without the option, then old blocks go, peers sync elsewhere, and all history comes back', () =>
  withFolder(async folder => {
    const [genesis, key] = writeNetwork(folder, { qbft: { xblockperiodmilliseconds: 200 } }) as [
      string,
      string,
    ]
    const genesisPath = genesis.slice('--genesis-file='.length)
    const at = (name: string): string => join(folder, name)
    await growChain(at('archive'), genesisPath, BLOCKS, EVERY, RECEIVER)
    cpSync(at('archive'), at('validator'), { recursive: true })
    const shared = [genesis, '--rpc-http-enabled', '--rpc-http-api=ETH,NET,ADMIN', '--min-gas-price=0']
    const prune = `--prune-history=${LEAST}`
    const transaction = await transactionOf(at('archive'), genesisPath)

    // Blocks are made while the old ones are removed.
    const metrics = ['--metrics-enabled', '--metrics-port=0']
    const first = await startNode(at('validator'), [...shared, key, prune, ...metrics])
    try {
      await until(async () => (await startOf(first)) >= BLOCKS - LEAST)
      const scraped = await (await fetch(`${first.metricsUrl}/metrics`)).text()
      expect(Number(/^quorate_history_start_block (\d+)$/m.exec(scraped)?.[1])).toBeGreaterThanOrEqual(
        BLOCKS - LEAST,
      )
      expect(await refusal(first, 'eth_getBlockByNumber', '0x5', false)).toContain('4444')
      expect(await refusal(first, 'eth_getBalance', toHex(RECEIVER), '0x5')).toContain(
        'World state unavailable',
      )
      expect(await refusal(first, 'eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' })).toContain('4444')
      expect(await first.rpc('eth_getTransactionByHash', transaction)).toBeNull()
      await until(async () => (await number(first)) > BLOCKS + 2)
    } finally {
      await first.kill()
    }

    const archive = await startNode(at('archive'), shared)
    try {
      const validator = await startNode(at('validator'), [...shared, key, prune])
      let head = 0
      try {
        const enode = await validator.rpc<string>('net_enode')
        await archive.rpc('admin_addPeer', enode)
        const bootnodes = `--bootnodes=${enode},${await archive.rpc<string>('net_enode')}`
        const fresh = await startNode(at('fresh'), [...shared, bootnodes, '--sync-mode=SNAP'])
        try {
          await until(async () => (await number(fresh)) > BLOCKS)
          expect(fresh.output()).not.toContain('No blocks are requested from')
          expect(await fresh.rpc('eth_getTransactionByHash', transaction)).toMatchObject({
            hash: transaction,
          })
        } finally {
          await fresh.stop()
        }
        head = await number(validator)
        await until(async () => (await number(archive)) >= head)
      } finally {
        await validator.stop()
      }

      const checked = await runHere(['storage', 'check', genesis, `--data-path=${at('validator')}`])
      expect([checked.code, checked.error]).toEqual([0, ''])
      expect(checked.out).toMatch(/The history is kept from block \d+ on/)
      const report = await runHere(['storage', 'report', `--data-path=${at('validator')}`])
      expect(report.out).toMatch(/The history is kept from block \d+ on; [\d.]+ \w+ in the files are free/)
      for (const command of [
        ['snapshot', 'create', `--to=${at('x')}`],
        ['blocks', 'export', `--to=${at('y')}`],
      ]) {
        const refused = await runHere([...command, genesis, `--data-path=${at('validator')}`])
        expect([refused.code, refused.error + refused.out]).toEqual([
          1,
          expect.stringContaining('(--prune-history)') as string,
        ])
      }

      const bootnodes = `--bootnodes=${await archive.rpc<string>('net_enode')}`
      const fetching = await startNode(at('validator'), [...shared, key, bootnodes])
      try {
        await until(() => fetching.output().includes('All history is fetched and verified'))
        expect(fetching.output()).toMatch(/History is kept from block \d+ on/)
        expect(await refusal(fetching, 'eth_getBlockByNumber', '0x5', false)).toContain('4444')
      } finally {
        await fetching.stop()
      }
      const whole = await startNode(at('validator'), [...shared, key, bootnodes])
      try {
        expect(await startOf(whole)).toBe(0)
        await until(async () => (await number(whole)) >= head)
        const blocks = [0, 1, 5, 10, 64, 90, 100, 700, BLOCKS, head]
        expect(await answersOf(whole, blocks)).toEqual([...(await answersOf(archive, blocks))])
      } finally {
        await whole.stop()
      }
    } finally {
      await archive.stop()
    }
  }))

test.each([
  ['1000', 'proofs, fee histories, restarts and peers that were away'],
  ['many', 'is not a whole number'],
])(
  'given --prune-history=%s, when a node starts, then it is refused with the reason',
  async (value, reason) => {
    const { code, error, out } = await runHere([`--prune-history=${value}`, `--data-path=${EMPTY_PATH}`])
    expect([code, error + out]).toEqual([2, expect.stringContaining(reason) as string])
  },
)

test('given a development chain, when it starts with --prune-history, then it says why that cannot be', async () => {
  const { code, error, out } = await runHere(['--prune-history=2000', `--data-path=${EMPTY_PATH}`])
  expect([code, error + out]).toEqual([2, expect.stringContaining('can go back to them') as string])
})
