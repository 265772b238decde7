import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEV_HEADER_METHODS } from '../../handlers/rpc/methods/development/header.ts'
import { DEV_MINING_METHODS } from '../../handlers/rpc/methods/development/mining.ts'
import { DEV_NODE_METHODS } from '../../handlers/rpc/methods/development/node.ts'
import { DEV_POOL_METHODS } from '../../handlers/rpc/methods/development/pool.ts'
import { DEV_STATE_METHODS } from '../../handlers/rpc/methods/development/state.ts'
import { type Anvil, startAnvil } from '../bench/engines/anvil.ts'
import { type NodeProcess, PROCESS_TEST_TIMEOUT_MS, startNode } from '../runtime/nodeProcess.ts'
import { seededRandom } from '../support/random.ts'

setDefaultTimeout(PROCESS_TEST_TIMEOUT_MS)

type Client = Pick<Anvil, 'rpc'>

const ACCOUNT = '0x00000000000000000000000000000000000000aa'
const WORD = `0x${'0'.repeat(63)}1`

let folder: string
let node: NodeProcess
let anvil: Anvil

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quorate-beside-anvil-'))
  ;[node, anvil] = await Promise.all([startNode(folder), startAnvil([])])
})

afterAll(async () => {
  await Promise.all([node.kill(), anvil.stop()])
  rmSync(folder, { recursive: true, force: true })
})

const headTime = async (client: Client): Promise<number> => {
  const { timestamp } = await client.rpc<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false)
  return Number(timestamp)
}

const ahead =
  (seconds: number) =>
  async (client: Client): Promise<unknown[]> => [(await headTime(client)) + seconds]

type Row = {
  /** The name without its prefix. */
  readonly name: string
  readonly prefixes: readonly ('anvil' | 'evm' | 'hardhat')[]
  readonly params: readonly unknown[] | ((client: Client) => Promise<readonly unknown[]>)
  /** Where anvil and this node differ on purpose: the result of this node. */
  readonly ours?: unknown
}

/** One call of each method of a development chain. */
const ROWS: readonly Row[] = [
  { name: 'snapshot', prefixes: ['anvil', 'evm'], params: [] },
  ...(
    [
      ['impersonateAccount', [ACCOUNT]],
      ['stopImpersonatingAccount', [ACCOUNT]],
      ['autoImpersonateAccount', [false]],
      ['getAutomine', []],
      ['mine', ['0x2', '0x5']],
      ['setBalance', [ACCOUNT, '0x1']],
      ['addBalance', [ACCOUNT, '0x5']],
      ['setCode', [ACCOUNT, '0x00']],
      ['setNonce', [ACCOUNT, '0x7']],
      ['setStorageAt', [ACCOUNT, WORD, WORD]],
      ['setCoinbase', [ACCOUNT]],
      ['setLoggingEnabled', [true]],
      ['setNextBlockBaseFeePerGas', ['0x3b9aca00']],
      ['dropTransaction', [WORD]],
      ['dropAllTransactions', []],
      ['metadata', []],
    ] as const
  ).map(([name, params]): Row => ({ name, prefixes: ['anvil', 'hardhat'], params })),
  // anvil refuses it where there is a base fee.
  { name: 'setMinGasPrice', prefixes: ['anvil', 'hardhat'], params: ['0x0'], ours: null },
  { name: 'setAutomine', prefixes: ['anvil', 'evm'], params: [true] },
  { name: 'setIntervalMining', prefixes: ['anvil', 'evm'], params: [0] },
  { name: 'getIntervalMining', prefixes: ['anvil'], params: [] },
  { name: 'setAutomine', prefixes: ['anvil', 'evm'], params: [true] },
  { name: 'setAccountNonce', prefixes: ['evm'], params: [ACCOUNT, '0x9'] },
  { name: 'increaseTime', prefixes: ['anvil', 'evm'], params: [10] },
  { name: 'setNextBlockTimestamp', prefixes: ['anvil', 'evm'], params: ahead(5_000) },
  { name: 'mine', prefixes: ['evm'], params: ahead(9_000) },
  { name: 'setTime', prefixes: ['anvil', 'evm'], params: ahead(20_000) },
  { name: 'setBlockGasLimit', prefixes: ['anvil', 'evm'], params: ['0x1c9c380'] },
  { name: 'setBlockTimestampInterval', prefixes: ['anvil'], params: [2] },
  { name: 'removeBlockTimestampInterval', prefixes: ['anvil'], params: [] },
  { name: 'removeBlockTimestampInterval', prefixes: ['anvil'], params: [] },
  { name: 'removePoolTransactions', prefixes: ['anvil'], params: [ACCOUNT] },
  { name: 'nodeInfo', prefixes: ['anvil'], params: [] },
  { name: 'rollback', prefixes: ['anvil'], params: [1] },
  { name: 'revert', prefixes: ['anvil', 'evm'], params: ['0x63'] },
  { name: 'reset', prefixes: ['anvil', 'hardhat'], params: [] },
]

/** The type of a result, or the result where it has one form. */
const shapeOf = (result: unknown): unknown => {
  if (result === null || typeof result === 'boolean') return result
  if (typeof result !== 'object') return typeof result
  // A member without a value may be left out.
  return Object.entries(result)
    .flatMap(([name, value]) => (value === null ? [] : [name]))
    .sort()
}

/** Members that only anvil has: its build, and networks that it imitates. */
const ANVIL_ONLY = new Set(['clientSemver', 'clientCommitSha', 'network'])

const sharedShapeOf = (result: unknown): unknown => {
  const shape = shapeOf(result)
  return Array.isArray(shape) ? shape.filter(name => !ANVIL_ONLY.has(String(name))) : shape
}

const paramsOf = ({ params }: Row, client: Client): Promise<readonly unknown[]> =>
  typeof params === 'function' ? params(client) : Promise.resolve(params)

describe('given a development chain beside anvil', () => {
  test('when the methods of both are listed, then each method of this node has a row below', () => {
    const rows = new Set(ROWS.flatMap(({ name, prefixes }) => prefixes.map(prefix => `${prefix}_${name}`)))
    const declared = [
      DEV_HEADER_METHODS,
      DEV_MINING_METHODS,
      DEV_NODE_METHODS,
      DEV_POOL_METHODS,
      DEV_STATE_METHODS,
    ].flatMap(methods => methods.map(({ name }) => name))
    const named = declared.filter(name => /^(?:anvil|evm|hardhat)_/.test(name))
    expect(named.filter(name => !rows.has(name))).toEqual([])
  })

  for (const row of ROWS)
    for (const prefix of row.prefixes)
      test(`when ${prefix}_${row.name} is called with ${typeof row.params === 'function' ? 'a later time' : JSON.stringify(row.params)}, then the result has the shape of anvil, or of Hardhat for its names`, async () => {
        const method = `${prefix}_${row.name}`
        const ours = await node.rpc(method, ...(await paramsOf(row, node)))
        if (row.ours === undefined) {
          const theirs = await anvil.rpc(method, ...(await paramsOf(row, anvil)))
          // Hardhat's setters answer true, and anvil has one result for both names.
          const isSetter = theirs === null && prefix === 'hardhat'
          const expected = row.name !== 'dropTransaction'
          expect(sharedShapeOf(ours)).toEqual(isSetter ? expected : sharedShapeOf(theirs))
        } else expect(ours).toEqual(prefix === 'hardhat' ? true : row.ours)
      })
})

/** Seconds by which the steps move time; a run takes far less than the smallest. */
const STEP_SECONDS = 1_000

type Step = readonly [method: string, ...params: unknown[]]

/** One random change of the time. Absolute times are relative to the head. */
const stepOf = (random: ReturnType<typeof seededRandom>, snapshots: readonly string[]): Step => {
  const seconds = (1 + random.below(9)) * STEP_SECONDS
  const steps: readonly Step[] = [
    ['evm_mine'],
    ['evm_increaseTime', seconds],
    ['anvil_mine', '0x3', seconds],
    ['evm_setNextBlockTimestamp', { seconds }],
    ['evm_setTime', { seconds }],
    ['evm_mine', { seconds }],
    ['anvil_setBlockTimestampInterval', seconds],
    ['anvil_removeBlockTimestampInterval'],
    ['evm_snapshot'],
    ...snapshots.slice(-1).map((id): Step => ['evm_revert', id]),
  ]
  return steps[random.below(steps.length)] as Step
}

type Timed = { readonly client: Client; readonly snapshots: string[] }

/** Runs a step, then makes a block. Returns by how much the head's time has moved. */
const run = async ({ client, snapshots }: Timed, step: Step): Promise<number> => {
  const [method, ...params] = step
  const before = await headTime(client)
  const resolved = params.map(param =>
    typeof param === 'object' ? before + (param as { readonly seconds: number }).seconds : param,
  )
  if (method === 'evm_revert') await client.rpc(method, snapshots.pop())
  else {
    const result = await client.rpc(method, ...resolved)
    if (method === 'evm_snapshot') snapshots.push(String(result))
  }
  await client.rpc('evm_mine')
  return (await headTime(client)) - before
}

describe('given an account on this node and on anvil', () => {
  const OTHER = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'

  test('when it is read and has sent transactions, then both answer alike', async () => {
    const pair: readonly Client[] = [node, anvil]
    for (const client of pair) {
      await client.rpc('anvil_reset')
      await client.rpc('anvil_setBalance', ACCOUNT, '0x10')
      await client.rpc('anvil_addBalance', ACCOUNT, '0x5')
      await client.rpc('anvil_setCode', ACCOUNT, '0x00')
      await client.rpc('evm_mine')
    }
    const answers = (method: string, ...params: unknown[]) =>
      Promise.all(pair.map(client => client.rpc(method, ...params)))
    for (const method of ['eth_getAccount', 'eth_getAccountInfo'])
      for (const address of [ACCOUNT, '0x00000000000000000000000000000000000000bb']) {
        const [ours, theirs] = await answers(method, address, 'latest')
        expect(ours).toEqual(theirs)
      }
    const [from] = await node.rpc<string[]>('eth_accounts')
    const transaction = { from, to: OTHER, value: '0x1', gas: '0x5208', maxFeePerGas: '0x77359400' }
    expect(await node.rpc('eth_sendTransactionSync', transaction)).toMatchObject({
      status: '0x1',
      from,
      to: OTHER,
    })
    await anvil.rpc('eth_sendTransaction', transaction)
    for (let count = 0; count < 3; count++) await answers('evm_mine')
    expect(await node.rpc('eth_getTransactionBySenderAndNonce', from, 0)).toMatchObject({
      from,
      nonce: '0x0',
    })
    expect(await node.rpc<null>('eth_getTransactionBySenderAndNonce', from, 1)).toBeNull()
    await answers('evm_setAutomine', false)
    await answers('eth_sendTransaction', transaction)
    expect(await node.rpc('eth_pendingTransactions')).toMatchObject([{ from, nonce: '0x1' }])
    expect(await node.rpc('eth_getTransactionBySenderAndNonce', from, 1)).toMatchObject({
      nonce: '0x1',
      blockHash: null,
    })
    await answers('evm_setAutomine', true)
  })
})

describe('given random changes of the time, on this node and on anvil', () => {
  test.each([1, 2, 3, 4, 5, 6])('when sequence %d runs, then both move their blocks alike', async seed => {
    const random = seededRandom(seed)
    const pair: readonly Timed[] = [node, anvil].map(client => ({ client, snapshots: [] }))
    for (const { client } of pair) {
      await client.rpc('anvil_reset')
      await client.rpc('anvil_removeBlockTimestampInterval')
      await client.rpc('evm_mine')
    }
    const steps: Step[] = []
    for (let count = 0; count < 25; count++) {
      steps.push(stepOf(random, pair[0]?.snapshots ?? []))
      const moved = await Promise.all(pair.map(timed => run(timed, steps.at(-1) as Step)))
      // The real seconds that pass between two blocks are not those of the test.
      const [ours, theirs] = moved.map(seconds => Math.round(seconds / STEP_SECONDS))
      expect({ steps, moved: ours }).toEqual({ steps, moved: theirs })
    }
  })
})
