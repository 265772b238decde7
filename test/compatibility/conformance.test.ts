import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { METHODS } from '../../handlers/rpc/methods.ts'
import { type NodeProcess, runCommand, startNode } from '../runtime/nodeProcess.ts'
import { sharedPath } from '../support/shared.ts'

const root = sharedPath('conformance')

/** Cases that cannot hold, with why. */
const EXCEPTIONS: ReadonlyMap<string, string> = new Map([
  ['eth_getBlockByNumber_hashes.json', 'totalDifficulty, which the execution-apis have taken out'],
  ['eth_getNewFilter_topicOnly.json', 'the first id of a counter; ids are random'],
  ['eth_getNewFilter_validFilterLatestBlock.json', 'the same'],
  ['eth_getNewFilter_validFilterWithBlockNumber.json', 'the same'],
  ['eth_newPendingTransactionFilter.json', 'the same'],
  ['eth_call_stateOverride_movePrecompileToAddress.json', 'precompiles are not moved'],
])

type Suite = {
  readonly name: string
  readonly genesis: string
  readonly blocks: string
  readonly runner: string
  readonly cases: string
}

const SUITES: readonly Suite[] = [
  {
    name: 'execution-apis',
    genesis: 'execution-apis/genesis.json',
    blocks: 'execution-apis/chain.rlp',
    runner: 'io-suite.mjs',
    cases: 'execution-apis/cases',
  },
  {
    name: "Besu's",
    genesis: 'hive-chain/testGenesis.json',
    blocks: 'hive-chain/testBlockchain.blocks',
    runner: 'spec-suite.mjs',
    cases: 'json-rpc',
  },
]

const SERVED: ReadonlySet<string> = new Set(METHODS.map(({ name }) => name))

/** The method a case is about: its folder, or what its file name begins with. */
const methodOf = (name: string): string =>
  /^[^/]*\//.exec(name)?.[0].slice(0, -1) ?? name.split('_').slice(0, 2).join('_')

describe.skipIf(root === undefined).each([...SUITES])('the published cases of $name', suite => {
  let folder: string
  let node: NodeProcess
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'quorate-'))
    const network = [`--genesis-file=${root}/${suite.genesis}`]
    const imported = await runCommand([
      'blocks',
      'import',
      `--from=${root}/${suite.blocks}`,
      `--data-path=${folder}`,
      ...network,
    ])
    if (imported.code !== 0) throw new Error(imported.error)
    node = await startNode(folder, [...network, '--rpc-http-enabled', '--rpc-http-api=ETH,NET,WEB3,DEBUG'])
  })
  afterAll(async () => {
    await node.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('hold for every method that is served', async () => {
    const runner = Bun.spawn(
      [
        process.execPath,
        `${root}/${suite.runner}`,
        '--url',
        node.url,
        '--dir',
        `${root}/${suite.cases}`,
        '--verbose',
      ],
      { stdout: 'pipe', stderr: 'inherit' },
    )
    const lines = (await new Response(runner.stdout).text()).split('\n')
    const failed = lines
      .filter(line => line.startsWith('FAIL '))
      .map(line => line.slice('FAIL '.length))
      .filter(line => {
        const name = line.slice(0, line.indexOf(':'))
        return SERVED.has(methodOf(name)) && !EXCEPTIONS.has(name)
      })
    expect(failed).toEqual([])
    expect(lines.some(line => line.includes('cases hold'))).toBe(true)
  })
})

if (root === undefined) console.log('published JSON-RPC cases: skipped, ../shared is absent')
