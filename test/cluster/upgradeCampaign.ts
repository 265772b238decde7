import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { encodedTransfer } from '../attack/transfers.ts'
import { startNode } from '../runtime/nodeProcess.ts'
import { rejection } from '../support/rejection.ts'
import { type Cluster, createCluster } from './support/cluster.ts'
import { doubleSignatures } from './support/forget.ts'
import { hashesOf, until, untilBlocks, untilHeads } from './support/waiting.ts'

/**
 * Upgrades a network of four validators, one node after the other, from an earlier commit to this checkout: blocks go on with
 * nodes of both, everybody proposes, accepted transactions are mined, new nodes of both sync from it, nobody signs twice, and
 * the earlier release refuses an upgraded data path. Ends with 1 when one of these fails. Run by hand, in a clone with history:
 * `bun test/cluster/upgradeCampaign.ts [--commit=21fe445d] [--checkout=FOLDER with that commit and its packages]`.
 */
const { values } = parseArgs({
  options: {
    commit: { type: 'string', default: '21fe445d' },
    checkout: { type: 'string' },
  },
})

const ROOT = join(import.meta.dir, '../..')
const VALIDATORS = [1, 2, 3, 4]
/** Nodes that join the mixed network: the fifth of this checkout, the sixth of the earlier one. */
const NEW = 5
const NEW_EARLIER = 6
/** Blocks within which each of four validators has its turn, also when some rounds are lost. */
const TURNS_BLOCKS_MAX = 60
const WAITING = 5

const folder = mkdtempSync(join(tmpdir(), 'quorate-upgrade-'))
const startMs = performance.now()
const say = (text: string): void =>
  console.log(`${((performance.now() - startMs) / 1000).toFixed(1).padStart(6)} s  ${text}`)

const requireThat = (what: string, isTrue: boolean): void => {
  if (!isTrue) throw new Error(`not: ${what}`)
  say(what)
}

const git = (...args: readonly string[]): string =>
  execFileSync('git', args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' }).trim()

/** The earlier release with its packages, and the function that removes it. */
const checkOut = (): { readonly path: string; readonly remove: () => void } => {
  if (values.checkout !== undefined) return { path: values.checkout, remove: () => undefined }
  const path = join(folder, 'earlier')
  git('worktree', 'add', '--detach', path, values.commit)
  execFileSync(process.execPath, ['install', '--frozen-lockfile', '--production'], {
    cwd: path,
    stdio: 'ignore',
  })
  return { path, remove: () => git('worktree', 'remove', '--force', path) }
}

/** Waits until each validator has proposed a block. */
const untilAllProposed = async (cluster: Cluster): Promise<void> => {
  const missing = new Set(VALIDATORS.map(cluster.address))
  const from = await cluster.head(1)
  for (let number = from + 1; missing.size > 0; number++) {
    if (number > from + TURNS_BLOCKS_MAX) throw new Error(`not proposed: ${[...missing].join(', ')}`)
    await untilHeads(cluster, number, [1])
    missing.delete((await cluster.block(1, number))?.miner ?? '')
  }
}

const untilMined = (cluster: Cluster, hash: string): Promise<boolean> =>
  until(`the receipt of ${hash} on each node`, async () => {
    const receipts = await Promise.all(
      cluster
        .running()
        .map(index => cluster.node(index).rpc<object | null>('eth_getTransactionReceipt', hash)),
    )
    return receipts.every(receipt => receipt !== null)
  })

const run = async (earlierProgram: string): Promise<void> => {
  const earlier = new Set([...VALIDATORS, NEW_EARLIER])
  const cluster = await createCluster({
    folder,
    validators: VALIDATORS.length,
    nodes: NEW_EARLIER,
    programOf: index => (earlier.has(index) ? earlierProgram : undefined),
    argsOf: index => (index === NEW ? ['--sync-mode=SNAP'] : []),
  })
  let nonce = 0
  const send = (index: number): Promise<string> =>
    cluster.node(index).rpc('eth_sendRawTransaction', encodedTransfer(nonce++))
  const upgrade = async (index: number, how: 'stop' | 'kill'): Promise<void> => {
    await cluster[how](index)
    earlier.delete(index)
    await cluster.start(index)
    await untilBlocks(cluster, 1)
  }
  try {
    await cluster.start(...VALIDATORS)
    await untilBlocks(cluster, 3)
    await untilMined(cluster, await send(1))
    say('four validators of the earlier release make blocks')
    await upgrade(3, 'stop')
    await upgrade(4, 'kill')
    await untilAllProposed(cluster)
    say('with two of each, all four propose, and a quorum needs both')
    for (const index of VALIDATORS) await untilMined(cluster, await send(index))
    say('a transaction sent to any of them is mined')
    await cluster.start(NEW, NEW_EARLIER)
    await untilBlocks(cluster, 1)
    say('new nodes of both releases have synced')
    const first = nonce++
    const waiting: string[] = []
    for (let count = 0; count < WAITING; count++) waiting.push(await send(1))
    await until('the waiting transactions on node 4', async () => {
      const known = await cluster.node(4).rpc<readonly unknown[]>('txpool_besuTransactions')
      return known.length === WAITING
    })
    await upgrade(1, 'stop')
    await upgrade(2, 'kill')
    await cluster.node(1).rpc('eth_sendRawTransaction', encodedTransfer(first))
    for (const hash of waiting) await untilMined(cluster, hash)
    say('transactions that the earlier release accepted are mined after its last validator is upgraded')
    await untilAllProposed(cluster)
    const head = await untilBlocks(cluster, 1)
    let differing = 0
    for (let number = 0; number <= head; number++)
      if ((await hashesOf(cluster, number)).length !== 1) differing++
    requireThat(`all nodes have the same ${head + 1} blocks`, differing === 0)
    requireThat('no node has seen a validator sign twice', doubleSignatures(cluster).length === 0)
    await cluster.kill(4)
    const args = [`--genesis-file=${join(folder, 'genesis.json')}`]
    const refused = await rejection(startNode(cluster.dataPath(4), args, { program: earlierProgram }))
    requireThat(
      'the earlier release refuses the upgraded data path',
      /views of version \d+ are not known|reads version/.test(String(refused)),
    )
    await cluster.start(4)
    await untilBlocks(cluster, 2)
    say('and this one goes on with it')
  } finally {
    await cluster.end()
  }
}

let remove: (() => void) | undefined
try {
  const earlier = checkOut()
  remove = earlier.remove
  await run(join(earlier.path, 'runtime/main.ts'))
} catch (error) {
  console.error(error)
  process.exitCode = 1
} finally {
  remove?.()
  rmSync(folder, { recursive: true, force: true })
}
