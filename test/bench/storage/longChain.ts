import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { qbftBlockHash } from '../../../core/block/codec/blockHash.ts'
import type { Log } from '../../../core/block/receipt.ts'
import { toHex } from '../../../core/bytes/hex.ts'
import type { ChainHead, ChainStore } from '../../../core/store/store.ts'
import { withFolder } from '../../runtime/folder.ts'
import { type NodeProcess, startNode } from '../../runtime/nodeProcess.ts'
import { logChain, type LogsOfBlock, numberedAddress, numberedLog } from '../../support/chains/logChain.ts'
import { ownBlocks } from '../engines/ownBlocks.ts'
import { benchGenesis } from '../genesis.ts'
import { type BenchOptions, median, msText, type Row } from '../measure.ts'

/** Contracts that take turns to log something, and those who are named in it. */
const CONTRACTS = 1_000
const NAMED = 10_000
/** A contract that logged in three blocks only. */
const RARE = CONTRACTS
const RARE_AT = [0.01, 0.5, 0.99]
const STARTS = 5
const SEARCHES = 25

const transferLog = (number: number): Log =>
  numberedLog(number % CONTRACTS, [NAMED, number % NAMED, (number * 7) % NAMED])

/** Each block has a transaction with a log, as many of them as there are. */
function* logsOfBlocks(blocks: number): Generator<LogsOfBlock> {
  yield []
  const rare = new Set(RARE_AT.map(part => Math.floor(blocks * part)))
  for (let number = 1; number <= blocks; number++)
    yield [rare.has(number) ? [transferLog(number), numberedLog(RARE, [NAMED])] : [transferLog(number)]]
}

/** Commits the blocks above genesis as a node does, without executing: they change no account. */
const commitBlocks = async (store: ChainStore, blocks: number): Promise<void> => {
  for (const commit of logChain(logsOfBlocks(blocks))) {
    const { header } = commit.block
    if (header.number === 0n) continue
    const parent = store.head() as ChainHead
    const own = {
      ...parent.header,
      parentHash: parent.hash,
      number: header.number,
      timestamp: parent.header.timestamp + 1n,
      logsBloom: header.logsBloom,
      gasUsed: header.gasUsed,
    }
    const block = { ...commit.block, header: own, withdrawals: [] }
    const totalDifficulty = parent.totalDifficulty + own.difficulty
    await store.commit({ ...commit, block, hash: qbftBlockHash(own), totalDifficulty }, 'soon')
  }
  await store.flush()
}

const msOf = async <T>(run: () => Promise<T>): Promise<readonly [ms: number, value: T]> => {
  const startMs = performance.now()
  const value = await run()
  return [performance.now() - startMs, value]
}

/** Milliseconds of a search for the rare logs through all blocks. */
const searchMs = async (node: NodeProcess): Promise<number> => {
  const times: number[] = []
  const filter = { fromBlock: 'earliest', toBlock: 'latest', address: toHex(numberedAddress(RARE)) }
  for (let i = 0; i < SEARCHES; i++) {
    const [ms, logs] = await msOf(() => node.rpc<readonly unknown[]>('eth_getLogs', filter))
    if (logs.length !== RARE_AT.length) throw new Error(`the search found ${logs.length} logs`)
    times.push(ms)
  }
  return median(times)
}

const measure = (blocks: number, progress: (text: string) => void): Promise<Row> =>
  withFolder(async folder => {
    const name = `${blocks.toLocaleString('en')} blocks`
    progress(`${name}: making`)
    const genesis = benchGenesis({})
    const genesisFile = join(folder, 'genesis.json')
    writeFileSync(genesisFile, JSON.stringify(genesis))
    const own = await ownBlocks(folder, genesis)
    const [makingMs] = await msOf(() => commitBlocks(own.store, blocks))
    await own.close()
    progress(`${name}: starts and searches`)
    const options = [`--genesis-file=${genesisFile}`, '--rpc-http-enabled', '--p2p-enabled=false']
    const starts: number[] = []
    const searches: number[] = []
    for (let i = 0; i < STARTS; i++) {
      const [ms, node] = await msOf(() => startNode(folder, [...options, '--rpc-max-logs-range=0']))
      starts.push(ms)
      searches.push(await searchMs(node))
      await node.stop()
    }
    return {
      name,
      values: {
        'start, ms': msText(median(starts)),
        'eth_getLogs of a rare address, ms': msText(median(searches)),
        'commits/s while it was made': ((blocks / makingMs) * 1000).toFixed(0),
      },
    }
  })

/** The start of a node with a long chain, and a search through all its logs. */
export const benchLongChain = async ({ quick, full, progress, row }: BenchOptions): Promise<void> => {
  for (const blocks of quick ? [1_000, 10_000] : [1_000, full ? 1_000_000 : 100_000])
    await row(`${blocks.toLocaleString('en')} blocks`, () => measure(blocks, progress))
}
