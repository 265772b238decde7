import { expect, setDefaultTimeout } from 'bun:test'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { independent as test } from '../../support/scenario.ts'
import { withFolder } from '../folder.ts'
import { genesisText, writeNetwork } from '../genesis.ts'
import {
  type CommandResult,
  isInstalled,
  PROCESS_TEST_TIMEOUT_MS,
  runCommand,
  type RuntimeName,
  startNode,
} from '../nodeProcess.ts'
import { clientsOf } from '../transactions.ts'

setDefaultTimeout(PROCESS_TEST_TIMEOUT_MS)

const QBFT = { xblockperiodmilliseconds: 20, xemptyblockperiodseconds: 2_000_000_000 }
const CONFIG = { zeroBaseFee: true }

/** Every file of the folder with a hash of its bytes. */
const filesOf = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => statSync(join(folder, name)).isFile())
    .map(
      name =>
        `${name} ${createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex')}`,
    )
    .sort()

/** Three blocks of a stopped node: transfers, and in block 2 a contract that PUSH0 code calls. */
const chainOf = async (folder: string): Promise<string> => {
  const dataPath = join(folder, 'node')
  const node = await startNode(dataPath, [
    ...writeNetwork(folder, { qbft: QBFT, config: CONFIG }),
    '--rpc-http-enabled',
    '--min-gas-price=0',
  ])
  const { wallet, reader } = clientsOf(node.url, 4242)
  for (const transaction of [
    { to: '0x00000000000000000000000000000000000000ff', value: 1n },
    // Its code is PUSH0 PUSH0 RETURN, which only Shanghai has.
    { data: '0x5f5ff3', gas: 100_000n },
    { to: '0x00000000000000000000000000000000000000ff', value: 2n },
  ] as const) {
    const hash = await wallet.sendTransaction(transaction)
    await reader.waitForTransactionReceipt({ hash })
  }
  expect(await node.stop()).toBe(0)
  return dataPath
}

const runtimes = (['bun', 'node', 'deno'] as const satisfies readonly RuntimeName[]).filter(isInstalled)

test('given a stopped node, when a plan is rehearsed, then it says which blocks change, and writes nothing', () =>
  withFolder(async folder => {
    const dataPath = await chainOf(folder)
    const before = filesOf(join(dataPath, 'chain'))
    const work = join(folder, 'work')
    mkdirSync(work)
    const rehearse = (
      planned: Parameters<typeof genesisText>[0],
      runtime: RuntimeName = 'bun',
      args: readonly string[] = [],
    ): Promise<CommandResult> => {
      const file = join(folder, `planned-${runtime}.json`)
      writeFileSync(file, genesisText({ qbft: QBFT, ...planned, config: { ...CONFIG, ...planned?.config } }))
      return runCommand(
        [
          'genesis',
          'rehearse',
          `--genesis-file=${file}`,
          `--data-path=${dataPath}`,
          `--copy-to=${work}`,
          ...args,
        ],
        { runtime },
      )
    }

    for (const runtime of runtimes) {
      const fork = await rehearse({ config: { shanghaiTime: 4_000_000_000 } }, runtime, ['--at=1'])
      expect(fork.error).toBe('')
      expect(fork.out).toContain('plan   from time 4000000000 on: fork shanghaiTime')
      expect(fork.out).toContain('as it is, Block 3 is invalid (withdrawals-root-presence)')
      expect(fork.out).toMatch(
        /^WRONG {2}block 2: transaction 0 \(from 0x\w{40}\) succeeds; on the chain it fails$/m,
      )
      expect(fork.out).toContain('Replayed 3 blocks, each as the first one under the plan: 0 stay valid')
      expect(fork.out.trimEnd().split('\n').at(-1)).toMatch(
        /^WRONG {2}under the plan \d of 3 blocks have other results/,
      )
      expect(fork.code).toBe(1)
    }

    const transitions = (entry: object): Parameters<typeof genesisText>[0] => ({
      config: { transitions: { qbft: [{ block: 1_000, ...entry }] } },
    })
    const contract = await rehearse(
      transitions({
        validatorselectionmode: 'contract',
        validatorcontractaddress: '0x0000000000000000000000000000000000007777',
      }),
    )
    expect(contract.out).toMatch(/^WRONG {2}block 3 could not be built: .*validator smart contract/m)
    expect(contract.code).toBe(1)

    const same = await rehearse(transitions({ xemptyblockperiodseconds: 60 }), 'bun', ['--at=3'])
    expect(same.out).toContain('Replayed 1 blocks, each as the first one under the plan: 1 stay valid')
    expect(same.out).toEndWith('well   the plan changes the result of no block that was replayed\n')
    expect(same.code).toBe(0)

    const reward = await rehearse(transitions({ blockreward: '5' }), 'bun', ['--at=3'])
    expect(reward.out).toContain('WRONG  block 3: the state after it differs')

    const nothing = await rehearse({})
    expect(nothing.error).toContain(
      'no transition or fork after the head, block 3: there is nothing to rehearse',
    )
    const beyond = await rehearse({ config: { shanghaiTime: 4_000_000_000 } }, 'bun', ['--at=4'])
    expect(beyond.error).toContain('block 4 is not on the chain: the blocks are 1 to 3')
    expect([nothing.code, beyond.code]).toEqual([1, 1])

    expect(filesOf(join(dataPath, 'chain'))).toEqual([...before])
    expect(readdirSync(work)).toEqual([])
  }))

test('given no chain, or a data path in use, when a plan is rehearsed, then it is refused in one sentence', () =>
  withFolder(async folder => {
    const network = writeNetwork(folder)
    const [genesis = ''] = network
    const empty = await runCommand(['genesis', 'rehearse', genesis, `--data-path=${join(folder, 'none')}`])
    expect(empty.error).toContain('There is no chain in')
    const dataPath = join(folder, 'node')
    const node = await startNode(dataPath, [...network, '--rpc-http-enabled'])
    try {
      const used = await runCommand(['genesis', 'rehearse', genesis, `--data-path=${dataPath}`])
      expect(used.error).toContain('is in use by another node')
      expect([empty.code, used.code]).toEqual([1, 1])
    } finally {
      await node.kill()
    }
  }))
