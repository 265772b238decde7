import { benchEdge } from './edge/edge.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { useCryptoEngine } from '../../core/crypto/crypto.ts'
import { startSegmentCompiler } from '../../runtime/compiler/segmentCompiler.ts'
import { loadFastestEngine } from '../../runtime/crypto/fastest.ts'
import { benchAuth } from './auth/auth.ts'
import { benchClients } from './network/clients.ts'
import { benchBlocks } from './execution/blocks.ts'
import { benchCrypto } from './crypto/crypto.ts'
import { benchDevelopment } from './rpc/development.ts'
import { benchEvm } from './execution/evm.ts'
import { benchGraphql } from './rpc/graphql.ts'
import { benchGrowth } from './execution/growth.ts'
import type { BenchOptions } from './measure.ts'
import { benchMetrics } from './rpc/metrics.ts'
import { benchLight } from './network/light.ts'
import { benchNetwork } from './network/network.ts'
import { benchRpc } from './rpc/rpc.ts'
import { benchLongChain } from './storage/longChain.ts'
import { benchBinary } from './storage/binary.ts'
import { benchPruning } from './storage/pruning.ts'
import { benchSnapshot } from './storage/snapshot.ts'
import { benchSpans } from './execution/spans.ts'
import { benchSubscribers } from './subscribers/subscribers.ts'
import { createGroupRows } from './rows.ts'
import { tableText } from './table.ts'
import { benchTraces } from './rpc/traces.ts'
import { benchTransports } from './network/transports.ts'
import { benchTrie } from './execution/trie.ts'
import { benchTurns } from './execution/turns.ts'

type Group = {
  readonly title: string
  /** What a reader of the figures must know. */
  readonly note: string
  readonly run: (options: BenchOptions) => Promise<void>
}

const GROUPS: Readonly<Record<string, Group>> = {
  evm: {
    title: 'EVM loops, Mgas/s',
    note: 'anvil by eth_call over HTTP: the request is part of its time, nothing is subtracted',
    run: benchEvm,
  },
  blocks: {
    title: 'block, ms',
    note:
      'senders known; ours: build, execute, roots, seal, segment synced to SQLite; @ethereumjs/vm: runBlock with generate; ' +
      'anvil: evm_mine over HTTP, transactions already in its pool; both of those in memory',
    run: benchBlocks,
  },
  edge: {
    title: 'replicas and readers',
    note:
      'servers on this machine; blocks of up to 4 transfers; 16 connections from the same machine, so that clients and servers share its ' +
      'processors',
    run: benchEdge,
  },
  crypto: { title: 'crypto, µs', note: 'one call on one thread', run: benchCrypto },
  trie: {
    title: 'state root, ms',
    note: 'records in memory, upper levels in the cache; a smaller state for the reference, which takes minutes to build one',
    run: benchTrie,
  },
  auth: {
    title: 'authentication',
    note:
      '16 connections over HTTP, a token that an issuer signed with RS256; client and nodes share the machine, on and off measured ' +
      'in turns; p99: of eth_blockNumber, 200 a second, alone and beside wrong logins that each come from another address',
    run: benchAuth,
  },
  development: {
    title: 'development chain',
    note: 'one connection over HTTP, calls one after the other; ours: SQLite on disk, anvil: in memory; measured in turns',
    run: benchDevelopment,
  },
  growth: {
    title: 'block of 1,000 transfers by size of the state',
    note:
      'build, execute, roots, seal, segment synced to SQLite; read ahead: while transactions wait in the pool, no part of the ' +
      'block; blocks follow each other without a pause, so the mean carries those that wait until the views are up to date; disk: ' +
      'the whole data path, of the accounts by the blocks that created them; --full: 10,000,000 accounts',
    run: benchGrowth,
  },
  chain: {
    title: 'long chains',
    note:
      'each block has a transaction with a log of one of 1,000 contracts; start: from the start of the process until it answers; ' +
      'the rare address logged in 3 blocks, the search is of all blocks, over HTTP; --full: 1,000,000 blocks',
    run: benchLongChain,
  },
  snapshot: {
    title: 'snapshots',
    note:
      'a chain whose blocks of 1,000 transfers created the accounts; restore verifies seals and roots and executes nothing; execute all: ' +
      'the same blocks imported from memory; block interval: of its one validator with a period of 1 s, median / longest of 20',
    run: benchSnapshot,
  },
  pruning: {
    title: 'removal of old history',
    note:
      'blocks of 20 transfers; --prune-history=1024 removes all but the last ones in the background; block interval: of the one ' +
      'validator with a period of 1 s, median / longest',
    run: benchPruning,
  },
  binary: {
    title: 'one binary beside the sources',
    note: 'start: from the start of the process until a new development chain answers a request, median of 7',
    run: benchBinary,
  },
  turns: {
    title: 'event loop held at a time, ms',
    note: "a validator's work on the block of another, median / longest; senders recovered again, as if none were in the pool",
    run: benchTurns,
  },
  spans: {
    title: 'slow blocks: CPU of the longest turn of the event loop, ms',
    note: 'a transaction with gas for it; built and committed by one node, imported and indexed by another; Linux only',
    run: benchSpans,
  },
  rpc: {
    title: 'JSON-RPC, calls per second',
    note:
      '16 connections of one client (2 for batches), each with one request under way; client and servers share the cores, client CPU is its part of one ' +
      'of them (beside ours / beside anvil); ours: one process with SQLite on disk, anvil: threads, all in memory; the same blocks in both; ' +
      'p99 is of whole requests; medians of windows taken in turns',
    run: benchRpc,
  },
  traces: {
    title: 'trace of a block of 1,000 token transfers, ms',
    note: 'one request at a time over HTTP, of different blocks; CPU: of the node for one request; least: where others use the machine',
    run: benchTraces,
  },
  metrics: {
    title: 'metrics on and off',
    note:
      '16 connections over HTTP, metrics read once a second; client and nodes share the machine, on and off measured in turns; transactions: ' +
      'validators alone, two without and two with metrics, 1,400 transfers a round in blocks of up to 1,428, CPU time of all threads',
    run: benchMetrics,
  },
  subscribers: {
    title: 'a block to its subscribers, ms, median / longest',
    note:
      'WebSocket, each subscriber on a connection of its own, all of them in one other process that shares the cores; blocks are empty; ' +
      'anvil does not tell when it commits',
    run: benchSubscribers,
  },
  graphql: {
    title: 'receipts of a block of 1,000 token transfers, and small queries',
    note:
      'one node, GraphQL and JSON-RPC on a port each; fetch, 16 requests at a time where there are many, client and node share the ' +
      'cores; times of GraphQL: how many times as much the other takes; measured in turns',
    run: benchGraphql,
  },
  network: {
    title: 'network on this machine',
    note:
      'all nodes and the client share its cores; after 15 seconds of load and, for empty blocks, 5 of rest; tx/s: as many as are included while 4,000 wait; gap: between two blocks ' +
      'then, in periods; CPU ms/tx: of one validator at that load, by its threads (main; workers: network and signatures; compiler; memory: ' +
      'collection), and of the client beside it; latency: from sending to seeing it ' +
      'in a block, ms, at 200 tx/s; commit: from proposal to commit at the proposer, median / p99, ms; messages of all nodes for an empty block',
    run: benchNetwork,
  },
  light: {
    title: 'a light node',
    note:
      'one of four validators on this machine, 1 s blocks without transactions; MB own: without pages of files, which processes ' +
      'share; first vote: from the start of the process until it signs for a block, in a network that went on without it for 5 s',
    run: benchLight,
  },
  clients: {
    title: 'four validators of one software, 1 s blocks',
    note:
      'one client and its transactions without a price; all nodes and the client share the cores; GETH_QUORUM and BESU name the executables of the ' +
      'others, which are left out otherwise; forks up to Berlin for GoQuorum, up to Cancun for the others; full load with 4,000 that wait, after 15 s ' +
      'of it; gap: between blocks then, median / longest; CPU: of one validator; first answer: of the last of four that start together',
    run: benchClients,
  },
  transports: {
    title: 'devp2p beside libp2p',
    note:
      'all nodes share the cores of this machine; chains of empty blocks and of blocks of 3 transfers, served over both by one process, ' +
      'new nodes in turns, CPU of the new node; ' +
      'a ratio above 1x: more blocks a second, and more CPU a block',
    run: benchTransports,
  },
}

const USAGE = `bun run bench [--quick | --full] [--only=${Object.keys(GROUPS).join(',')}]`

const HELP = `${USAGE}

  --quick  shorter measurements and smaller chains
  --full   the largest ones: an hour, and 10 GB below TMPDIR
  --only   some of the groups; all of them take half an hour

${Object.entries(GROUPS)
  .map(([name, { title }]) => `  ${name.padEnd(11)}  ${title}`)
  .join('\n')}
`

class UsageError extends Error {
  override readonly name = 'UsageError'
}

const chosenGroups = (only: string | undefined): readonly Group[] => {
  if (only === undefined) return Object.values(GROUPS)
  return only.split(',').map(name => {
    const group = GROUPS[name]
    if (group === undefined) throw new UsageError(`no group ${name}; usage: ${USAGE}`)
    return group
  })
}

type Arguments = Pick<BenchOptions, 'quick' | 'full'> & {
  readonly help: boolean
  readonly groups: readonly Group[]
}

const readArguments = (): Arguments => {
  try {
    const { values } = parseArgs({
      options: {
        help: { type: 'boolean' },
        quick: { type: 'boolean' },
        full: { type: 'boolean' },
        only: { type: 'string' },
      },
    })
    const { help = false, quick = false, full = false } = values
    if (quick && full) throw new UsageError(`--quick and --full exclude each other; usage: ${USAGE}`)
    return { help, quick, full, groups: chosenGroups(values.only) }
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`${(error as Error).message}; usage: ${USAGE}`)
  }
}

/** All that the groups write is below one folder, which is removed at the end, and where a signal ends the run. */
const useTemporaryFolder = (): void => {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-bench-'))
  process.env['TMPDIR'] = folder
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  process.on('SIGINT', () => process.exit(130))
  process.on('SIGTERM', () => process.exit(143))
}

const main = async (): Promise<void> => {
  const { help, quick, full, groups } = readArguments()
  if (help) return void process.stdout.write(HELP)
  useTemporaryFolder()
  useCryptoEngine(await loadFastestEngine())
  // As a node does.
  startSegmentCompiler(error => {
    throw error
  })
  const began = performance.now()
  const progress = (text: string): void => {
    process.stderr.write(`${((performance.now() - began) / 1000).toFixed(0).padStart(4)} s  ${text}\n`)
  }
  const processors = cpus()
  const machine = `Bun ${Bun.version}, ${processors.length} x ${processors[0]?.model ?? 'unknown processor'}`
  process.stdout.write(
    `${machine}${quick ? ', quick' : full ? ', full' : ''}: medians; ratios count, not the times\n`,
  )
  for (const { title, note, run } of groups) {
    progress(title)
    const rows = createGroupRows(progress)
    try {
      await run({ quick, full, progress, row: rows.measure })
    } catch (error) {
      // What all rows of the group need; the other groups do not.
      await rows.measure('the rest of the group', () => Promise.reject(error))
    }
    process.stdout.write(`\n${tableText(title, rows.all())}\n  ${note}\n`)
    if (rows.all().some(({ failure }) => failure !== undefined)) process.exitCode = 1
    // What one group held in memory must not slow down the next.
    Bun.gc(true)
  }
}

try {
  await main()
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 2
}
