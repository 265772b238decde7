import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand, startNode } from '../runtime/nodeProcess.ts'
import { EXCEPTIONS } from './exceptions.ts'

/** Published cases, the chain they are about, and what runs them. Paths are within the folder of published data. */
export type Suite = {
  readonly name: string
  readonly genesis: string
  readonly blocks: string
  readonly runner: string
  readonly cases: string
  /** Options of the node that the cases count on. */
  readonly options: readonly string[]
}

export const SUITES: readonly Suite[] = [
  {
    name: 'execution-apis',
    genesis: 'execution-apis/genesis.json',
    blocks: 'execution-apis/chain.rlp',
    runner: 'io-suite.mjs',
    cases: 'execution-apis/cases',
    options: [],
  },
  {
    name: "Besu's",
    genesis: 'hive-chain/testGenesis.json',
    blocks: 'hive-chain/testBlockchain.blocks',
    runner: 'spec-suite.mjs',
    cases: 'json-rpc',
    options: [
      '--network-id=123',
      '--rpc-gas-cap=0',
      '--min-gas-price=1',
      // Besu's default: some cases send what nobody can pay for.
      '--tx-pool-enable-balance-check=false',
    ],
  },
]

export type SuiteResult = {
  /** What the runner wrote, its total last. */
  readonly lines: readonly string[]
  /** Names and differences of the cases that do not hold and should. */
  readonly failed: readonly string[]
  /** Names of exceptions that hold all the same. */
  readonly holdThough: readonly string[]
}

const FAILED = 'FAIL '

/** Imports the suite's chain into a new folder, serves it, and runs the cases. @param root the folder of published data */
export const runSuite = async (root: string, suite: Suite): Promise<SuiteResult> => {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-'))
  const genesis = `--genesis-file=${root}/${suite.genesis}`
  try {
    const imported = await runCommand([
      'blocks',
      'import',
      `--from=${root}/${suite.blocks}`,
      `--data-path=${folder}`,
      genesis,
    ])
    if (imported.code !== 0) throw new Error(imported.error)
    const apis = '--rpc-http-api=ETH,NET,WEB3,DEBUG,TRACE,TXPOOL'
    const node = await startNode(folder, [genesis, '--rpc-http-enabled', apis, ...suite.options])
    try {
      const [runner, cases] = [`${root}/${suite.runner}`, `${root}/${suite.cases}`]
      const child = Bun.spawn([process.execPath, runner, '--url', node.url, '--dir', cases, '--verbose'], {
        stdout: 'pipe',
        stderr: 'inherit',
      })
      return readResult(suite, (await new Response(child.stdout).text()).trimEnd().split('\n'))
    } finally {
      await node.stop()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const readResult = (suite: Suite, lines: readonly string[]): SuiteResult => {
  if (!/^\d+\/\d+ .*cases hold/.test(lines.at(-1) ?? ''))
    throw new Error(`the runner of ${suite.name} cases did not end: ${lines.at(-1)}`)
  const failed = lines
    .filter(line => line.startsWith(FAILED))
    .map(line => line.slice(FAILED.length))
    .map(line => ({ name: line.slice(0, line.indexOf(': ')), line }))
  const failedNames = new Set(failed.map(({ name }) => name))
  return {
    lines,
    failed: failed.filter(({ name }) => !EXCEPTIONS.has(name)).map(({ line }) => line),
    holdThough: [...EXCEPTIONS]
      .filter(([name, { suite: of }]) => of === suite.name && !failedNames.has(name))
      .map(([name]) => name),
  }
}
