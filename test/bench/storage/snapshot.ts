import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toHex, toQuantity } from '../../../core/bytes/hex.ts'
import { decodeBlock } from '../../../core/block/codec/block.ts'
import { openChain } from '../../../core/chain/opening/openChain.ts'
import { parseGenesis } from '../../../core/genesis/parse/parse.ts'
import { openChainStore } from '../../../core/store/chainStore.ts'
import { openStorage } from '../../../runtime/drivers/open.ts'
import { createRecoveryPool } from '../../../runtime/threads/recovery/recoveryPool.ts'
import { createRecoverSenders } from '../../../runtime/threads/recovery/recoverSenders.ts'
import { withFolder } from '../../runtime/folder.ts'
import { ROOT, startNode } from '../../runtime/nodeProcess.ts'
import { benchGenesis, VALIDATOR_KEY } from '../genesis.ts'
import type { BenchOptions, Row } from '../measure.ts'
import { intervals, intervalText } from './intervals.ts'
import { makeTransferChain } from './transferChain.ts'
import { createSenders, TRANSACTIONS_PER_BLOCK } from '../workload.ts'

/** Recipients to choose from: so many that nearly each transfer creates an account. */
const RECIPIENTS = 2 ** 31 - 1
/** Blocks whose transactions are in memory at once. */
const BLOCKS_AT_ONCE = 20
/** Blocks whose intervals are measured with and without a snapshot beside. */
const INTERVALS = 20

/** Interval between two looks at the memory of a command. */
const PEAK_INTERVAL_MS = 50

/** Peak memory of a process on Linux; 0 once it has ended. The usage of an ended child counts the memory of its parent. */
const peakMegabytesOf = (pid: number): number => {
  try {
    return Number(/^VmHWM:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_000
  } catch {
    return 0
  }
}

type CommandRun = { readonly seconds: number; readonly peakMegabytes: number }

/** Runs a command in a process of its own. */
const command = async (...args: readonly string[]): Promise<CommandRun> => {
  const start = performance.now()
  const child = Bun.spawn([process.execPath, join(ROOT, 'runtime/main.ts'), ...args], {
    cwd: ROOT,
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  let peakMegabytes = 0
  const timer = setInterval(() => {
    peakMegabytes = Math.max(peakMegabytes, peakMegabytesOf(child.pid))
  }, PEAK_INTERVAL_MS)
  const [errors, code] = await Promise.all([new Response(child.stderr).text(), child.exited])
  clearInterval(timer)
  if (code !== 0) throw new Error(errors)
  return { seconds: (performance.now() - start) / 1000, peakMegabytes }
}

const secondsOf = async (run: () => Promise<unknown>): Promise<number> => {
  const start = performance.now()
  await run()
  return (performance.now() - start) / 1000
}

/** Imports the blocks of one data path into another one, executing each, as a full sync does. */
const executeAll = async (from: string, to: string, genesisJson: object): Promise<void> => {
  const genesis = parseGenesis(genesisJson)
  const source = await openChainStore(await openStorage('sqlite', from))
  const store = await openChainStore(await openStorage('sqlite', to))
  const recovery = createRecoveryPool({ onWorkerFailure: () => undefined })
  try {
    const recoverSenders = createRecoverSenders(recovery, () => undefined)
    const chain = await openChain({ genesis, store, recoverSenders, onError: () => undefined })
    for (let number = 1n; ; number++) {
      const bytes = await source.blockBytes(number)
      if (bytes === undefined) break
      await chain.importBlock(decodeBlock(bytes), { nowMs: Date.now(), durable: 'soon' })
    }
    await store.flush()
  } finally {
    await store.close()
    await source.close()
    await recovery.close()
  }
}

/** Intervals of the blocks of a validator alone, and while it writes snapshots one after the other. */
const besideSnapshots = async (
  dataPath: string,
  args: readonly string[],
): Promise<{ readonly alone: string; readonly beside: string }> => {
  const node = await startNode(dataPath, [
    ...args,
    '--rpc-http-enabled',
    '--rpc-http-api=ETH,ADMIN',
    '--p2p-enabled=false',
  ])
  try {
    const alone = await intervals(node, INTERVALS)
    const state = { isOver: false }
    const writing = (async () => {
      for (let count = 0; !state.isOver; count++) {
        await node.rpc('admin_createSnapshot', `${count}.snapshot`)
        while ((await node.rpc<{ state: string }>('admin_snapshotStatus')).state === 'writing')
          await Bun.sleep(10)
      }
    })()
    const beside = await intervals(node, INTERVALS)
    state.isOver = true
    await writing
    return { alone: intervalText(alone), beside: intervalText(beside) }
  } finally {
    await node.stop()
  }
}

const measure = (accounts: number, { progress }: BenchOptions): Promise<Row> =>
  withFolder(async folder => {
    const at = (name: string): string => join(folder, name)
    const alloc = createSenders().map(({ address }) => [toHex(address), { balance: toQuantity(10n ** 24n) }])
    const genesis = benchGenesis(Object.fromEntries(alloc))
    writeFileSync(at('genesis.json'), JSON.stringify(genesis))
    writeFileSync(at('key'), toHex(VALIDATOR_KEY), { mode: 0o600 })
    const name = accounts.toLocaleString('en')
    progress(`${name} accounts: blocks`)
    await makeTransferChain(at('source'), genesis, {
      senders: createSenders(),
      blocks: accounts / TRANSACTIONS_PER_BLOCK,
      blocksAtOnce: BLOCKS_AT_ONCE,
      recipients: RECIPIENTS,
    })
    const options = [`--genesis-file=${at('genesis.json')}`]
    progress(`${name} accounts: snapshot`)
    const from = [...options, `--data-path=${at('source')}`]
    const create = await command('snapshot', 'create', ...from, `--to=${at('file')}`)
    const into = [...options, `--data-path=${at('restored')}`]
    const restore = await command('snapshot', 'restore', ...into, `--from=${at('file')}`)
    progress(`${name} accounts: executing all blocks`)
    const execute = await secondsOf(() => executeAll(at('source'), at('executed'), genesis))
    progress(`${name} accounts: blocks beside snapshots`)
    const node = await besideSnapshots(at('source'), [...options, `--node-private-key-file=${at('key')}`])
    return {
      name: `${name} accounts`,
      values: {
        'file, MB': (statSync(at('file')).size / 1e6).toFixed(1),
        'create, s': create.seconds.toFixed(1),
        'memory, MB': create.peakMegabytes.toFixed(0),
        'restore, s': restore.seconds.toFixed(1),
        'memory of restore, MB': restore.peakMegabytes.toFixed(0),
        'execute all, s': execute.toFixed(1),
        'block interval alone, ms': node.alone,
        'while it writes': node.beside,
      },
    }
  })

/** Snapshots of chains whose blocks of 1,000 transfers created their accounts. */
export const benchSnapshot = async (options: BenchOptions): Promise<void> => {
  for (const accounts of options.quick ? [20_000] : [100_000, 1_000_000])
    await options.row(`${accounts.toLocaleString('en')} accounts`, () => measure(accounts, options))
}
