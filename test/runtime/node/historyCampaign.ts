import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { toHex, toQuantity } from '../../../core/bytes/hex.ts'
import { runKilled } from '../../support/programs/killedRun.ts'
import { seededRandom } from '../../support/random.ts'
import { runHere } from '../commandLine.ts'
import { testAddress, writeNetwork } from '../genesis.ts'
import { growChain } from '../growChain.ts'
import { type NodeProcess, startNode } from '../nodeProcess.ts'

/**
 * Kills a node again and again before one of its writes: first while it removes old history, then while it fetches all of it,
 * until it has it. After each kill `storage check` verifies its files, and in the end it answers as an archive. Run by hand:
 * `bun test/runtime/node/historyCampaign.ts [--blocks=1600] [--seed=1] [--kills=15] [--writes=1500]`: so many kills while it
 * removes, each after that many writes or 20 s at most.
 */
const { values } = parseArgs({
  options: {
    blocks: { type: 'string', default: '1600' },
    seed: { type: 'string', default: '1' },
    kills: { type: 'string', default: '15' },
    writes: { type: 'string', default: '1500' },
  },
})

const BLOCKS = Number(values.blocks)
const KEPT = 1_024
const EVERY = 4
const RECEIVER = testAddress(9)
const ROUNDS_MAX = 200
const RUN_MS_MAX = 20_000

const random = seededRandom(Number(values.seed))
const folder = mkdtempSync(join(tmpdir(), 'quorate-history-'))
const at = (name: string): string => join(folder, name)
const [genesis, key] = writeNetwork(folder, { qbft: { xblockperiodmilliseconds: 200 } }) as [string, string]
const shared = [genesis, '--rpc-http-enabled', '--rpc-http-api=ETH,NET,ADMIN', '--p2p-interface=127.0.0.1']
const startMs = performance.now()

const say = (text: string): void =>
  console.log(`${((performance.now() - startMs) / 1000).toFixed(1).padStart(6)} s  ${text}`)

const requireEqual = (what: string, found: unknown, expected: unknown): void => {
  const [a, b] = [JSON.stringify(found), JSON.stringify(expected)]
  if (a !== b) throw new Error(`${what}: ${a?.slice(0, 400)} is not ${b?.slice(0, 400)}`)
}

const check = async (): Promise<string> => {
  const { code, out, error } = await runHere(['storage', 'check', genesis, `--data-path=${at('node')}`])
  requireEqual(`storage check: ${out}${error}`, code, 0)
  return out
}

/** Starts the node and kills it before a write. Gives what it wrote to its log. */
const killOnce = async (...args: readonly string[]): Promise<string> => {
  const killAt = 1 + random.below(Number(values.writes))
  const ports = ['--rpc-http-port=0', '--p2p-port=0']
  const all = [`--data-path=${at('node')}`, ...shared, key, ...ports, ...args]
  const { output } = await runKilled({ args: all, killAt, cache: at('cache'), runMsMax: RUN_MS_MAX })
  return output
}

const answersOf = async (node: NodeProcess, block: number): Promise<readonly unknown[]> => {
  const number = toQuantity(block)
  return [
    await node.rpc('eth_getBlockByNumber', number, true),
    await node.rpc('eth_getBlockReceipts', number),
    await node.rpc('eth_getBalance', toHex(RECEIVER), number),
  ]
}

const startOf = (text: string): number => Number(/history is kept from block (\d+)/.exec(text)?.[1] ?? 0)

const firstKept = async (node: NodeProcess): Promise<number> => {
  const { protocols } = await node.rpc<{ protocols: { eth: { earliestBlock?: string } } }>('admin_nodeInfo')
  return Number(protocols.eth.earliestBlock ?? 0)
}

/** Kills the validator while it removes old blocks and makes new ones. */
const removeHistory = async (): Promise<void> => {
  for (let kill = 1; kill <= Number(values.kills); kill++) {
    await killOnce(`--prune-history=${KEPT}`)
    say(`removal, kill ${kill}: kept from block ${startOf(await check())} on`)
  }
}

const fetchHistory = async (archive: NodeProcess): Promise<void> => {
  const bootnodes = `--bootnodes=${await archive.rpc<string>('net_enode')}`
  for (let round = 1; ; round++) {
    if (round > ROUNDS_MAX) throw new Error('the history never comes back')
    const output = await killOnce(bootnodes, `--sync-mode=${round % 2 === 0 ? 'SNAP' : 'FULL'}`)
    const start = startOf(await check())
    say(`fetch, kill ${round}: kept from block ${start} on`)
    if (output.includes('All history is fetched') || start === 0) break
  }
  const node = await startNode(at('node'), [...shared, key, bootnodes])
  try {
    requireEqual('the first kept block', await firstKept(node), 0)
    for (let block = 0; block <= BLOCKS; block += 7)
      requireEqual(`block ${block}`, await answersOf(node, block), await answersOf(archive, block))
    say('the node answers as the archive')
  } finally {
    await node.stop()
  }
}

try {
  await growChain(at('archive'), genesis.slice('--genesis-file='.length), BLOCKS, EVERY, RECEIVER)
  cpSync(at('archive'), at('node'), { recursive: true })
  await removeHistory()
  const archive = await startNode(at('archive'), shared)
  try {
    await fetchHistory(archive)
  } finally {
    await archive.stop()
  }
} catch (error) {
  console.error(error)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
