import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toHex, toQuantity } from '../../../core/bytes/hex.ts'
import { withFolder } from '../../runtime/folder.ts'
import { type NodeProcess, startNode } from '../../runtime/nodeProcess.ts'
import { benchGenesis, VALIDATOR_KEY } from '../genesis.ts'
import type { BenchOptions, Row } from '../measure.ts'
import { createSenders } from '../workload.ts'
import { intervals, intervalText } from './intervals.ts'
import { makeTransferChain } from './transferChain.ts'

/** The least that is kept. */
const KEPT = 1_024
const TRANSFERS = 20
const RECIPIENTS = 4_000
/** Blocks whose transactions are in memory at once. */
const BLOCKS_AT_ONCE = 100
const INTERVALS = 20
/** Intervals that are measured between two looks at the progress of the removal. */
const INTERVALS_AT_ONCE = 3

const firstKept = async (node: NodeProcess): Promise<number> => {
  const { protocols } = await node.rpc<{ protocols: { eth: { earliestBlock?: string } } }>('admin_nodeInfo')
  return Number(protocols.eth.earliestBlock ?? 0)
}

const withNode = async <Result>(
  dataPath: string,
  args: readonly string[],
  measure: (node: NodeProcess) => Promise<Result>,
): Promise<Result> => {
  const node = await startNode(dataPath, [
    ...args,
    '--rpc-http-enabled',
    '--rpc-http-api=ETH,ADMIN',
    // The first kept block is told to peers: without P2P nobody answers for it.
    '--p2p-port=0',
  ])
  try {
    return await measure(node)
  } finally {
    await node.stop()
  }
}

/** The removal goes on until the start has moved to the last blocks, and for some blocks after that. */
const whileRemoving = async (node: NodeProcess, blocks: number): Promise<readonly number[]> => {
  const measured: number[] = []
  while ((await firstKept(node)) < blocks - KEPT || measured.length < INTERVALS)
    measured.push(...(await intervals(node, INTERVALS_AT_ONCE)))
  return measured
}

const intervalsOf = ({ quick, progress }: BenchOptions): Promise<Row> =>
  withFolder(async folder => {
    const blocks = KEPT + (quick ? 300 : 2_000)
    const data = join(folder, 'data')
    const alloc = createSenders().map(({ address }) => [toHex(address), { balance: toQuantity(10n ** 24n) }])
    const genesis = benchGenesis(Object.fromEntries(alloc))
    writeFileSync(join(folder, 'genesis.json'), JSON.stringify(genesis))
    writeFileSync(join(folder, 'key'), toHex(VALIDATOR_KEY), { mode: 0o600 })
    const args = [
      `--genesis-file=${join(folder, 'genesis.json')}`,
      `--node-private-key-file=${join(folder, 'key')}`,
    ]
    progress(`${blocks} blocks`)
    await makeTransferChain(data, genesis, {
      senders: createSenders().slice(0, TRANSFERS),
      blocks,
      blocksAtOnce: BLOCKS_AT_ONCE,
      recipients: RECIPIENTS,
    })
    progress('blocks without a removal')
    const alone = await withNode(data, args, node => intervals(node, INTERVALS))
    progress('blocks beside the removal')
    const beside = await withNode(data, [...args, `--prune-history=${KEPT}`], node =>
      whileRemoving(node, blocks),
    )
    return {
      name: `${blocks.toLocaleString('en')} blocks`,
      values: {
        'block interval alone, ms': intervalText(alone),
        'while it removes': intervalText(beside),
      },
    }
  })

/** The intervals of a validator's blocks while it removes old history, beside those without. */
export const benchPruning = (options: BenchOptions): Promise<void> =>
  options.row('blocks beside a removal', () => intervalsOf(options))
