import { describe, expect } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compile } from '../support/programs/solc.ts'
import { withFolder } from './folder.ts'
import { writeNetwork } from './genesis.ts'
import { type NodeProcess, startNode } from './nodeProcess.ts'
import { clientsOf } from './transactions.ts'
import { independent, scenario } from '../support/scenario.ts'
import { until } from '../support/until.ts'

type RpcBlock = {
  readonly number: string
  readonly timestamp: string
  readonly transactions: readonly string[]
  readonly miner: string
}

const head = (node: NodeProcess): Promise<RpcBlock> =>
  node.rpc<RpcBlock>('eth_getBlockByNumber', 'latest', false)

scenario('given a development chain', ({ beforeAll, afterAll, test }) => {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-'))
  let node: NodeProcess
  beforeAll(async () => {
    node = await startNode(folder)
  })
  afterAll(async () => {
    await node.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('given a pipe, when it starts, then every line is a JSON object, and one of them has the accounts', async () => {
    await until(async () => /Listening on [^\n]*\n/.test(node.output()))
    const records = node
      .output()
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as Record<string, unknown> & { message: string })
    const accounts = records.filter(({ message }) => message.startsWith('Development accounts'))
    expect(accounts).toHaveLength(1)
    expect(accounts[0]).toMatchObject({
      mnemonic: 'test test test test test test test test test test test junk',
      derivationPath: "m/44'/60'/0'/0/",
      chainId: 1337,
    })
    const listed = accounts[0]?.['accounts'] as readonly unknown[]
    expect(listed).toHaveLength(10)
    expect(listed[0]).toEqual({
      address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
      privateKey: '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
      balance: '0x21e19e0c9bab2400000',
    })
    expect(records.map(({ message }) => message)).toContain(`Listening on ${new URL(node.url).host}`)
  })

  test('given a data path, when the node starts again, then it has the same key and genesis file, and shows its port', () => {
    expect(readFileSync(join(folder, 'key'), 'utf8')).toMatch(/^0x[0-9a-f]{64}$/)
    expect(statSync(join(folder, 'key')).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(join(folder, 'genesis.json'), 'utf8'))).toMatchObject({
      config: { chainId: 1337 },
    })
    expect(readFileSync(join(folder, 'besu.ports'), 'utf8')).toContain(`json-rpc=${new URL(node.url).port}\n`)
  })

  test('when methods are called, then every group is served', async () => {
    expect(await node.rpc('eth_chainId')).toBe('0x539')
    expect(await node.rpc('net_version')).toBe('1337')
    expect(await node.rpc('web3_clientVersion')).toMatch(/^quorate\/v/)
    expect(await node.rpc<string[]>('qbft_getValidatorsByBlockNumber', 'latest')).toHaveLength(1)
  })

  test('when a transaction comes, then there is a block, and none without', async () => {
    const { wallet, reader } = clientsOf(node.url)
    expect(Number((await head(node)).number)).toBe(0)
    const hash = await wallet.sendTransaction({ to: '0x00000000000000000000000000000000000000ff', value: 5n })
    expect((await reader.waitForTransactionReceipt({ hash })).blockNumber).toBe(1n)
    expect(await reader.getBalance({ address: '0x00000000000000000000000000000000000000ff' })).toBe(5n)
    const next = await wallet.sendTransaction({ to: '0x00000000000000000000000000000000000000ff', value: 5n })
    expect((await reader.waitForTransactionReceipt({ hash: next })).blockNumber).toBe(2n)
  })

  test('given a contract of solc, when viem deploys and calls it, then it runs', async () => {
    const { wallet, reader, account } = clientsOf(node.url)
    const { abi, bytecode } = compile('Token')
    const deployed = await wallet.deployContract({ abi, bytecode, args: [1000n] })
    const { contractAddress } = await reader.waitForTransactionReceipt({ hash: deployed })
    const address = contractAddress as `0x${string}`
    const to = '0x00000000000000000000000000000000000000ee'
    const moved = await wallet.writeContract({ address, abi, functionName: 'transfer', args: [to, 7n] })
    const receipt = await reader.waitForTransactionReceipt({ hash: moved })
    expect([receipt.status, receipt.logs.length]).toEqual(['success', 1])
    expect(await reader.readContract({ address, abi, functionName: 'balanceOf', args: [to] })).toBe(7n)
    expect(
      await reader.readContract({ address, abi, functionName: 'balanceOf', args: [account.address] }),
    ).toBe(993n)
    const refused = reader.simulateContract({
      account,
      address,
      abi,
      functionName: 'transfer',
      args: [to, 5000n],
    })
    expect(await refused.catch(String)).toContain('balance too low')
  })

  test('given many transactions at once, when they are sent, then each sender’s are in order', async () => {
    const before = Number((await head(node)).number)
    const { wallet, reader, account } = clientsOf(node.url, 1337, 3)
    const nonce = await reader.getTransactionCount({ address: account.address })
    const hashes = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        wallet.sendTransaction({
          to: account.address,
          value: BigInt(index),
          nonce: nonce + index,
          gas: 21_000n,
        }),
      ),
    )
    // viem waits for another block where one came while it looked, and here none may come.
    for (const hash of hashes)
      await until(async () => (await node.rpc('eth_getTransactionReceipt', hash)) !== null)
    expect(await reader.getTransactionCount({ address: account.address })).toBe(nonce + 40)
    expect(Number((await head(node)).number)).toBeGreaterThan(before)
  })

  test('when it is stopped and started again, then it goes on with the same chain', async () => {
    const before = await head(node)
    expect(await node.stop()).toBe(0)
    expect(node.output()).toContain('Stopped')
    expect(existsSync(join(folder, 'besu.ports'))).toBe(false)
    node = await startNode(folder)
    expect(await head(node)).toEqual(before)
    const { wallet, reader } = clientsOf(node.url)
    const hash = await wallet.sendTransaction({ to: '0x00000000000000000000000000000000000000ff', value: 1n })
    const receipt = await reader.waitForTransactionReceipt({ hash })
    expect(receipt.blockNumber).toBe(BigInt(before.number) + 1n)
  })
})

independent('given --logging-format=PLAIN, then a development chain prints its accounts as anvil does', () =>
  withFolder(async folder => {
    const node = await startNode(folder, ['--logging-format=PLAIN'])
    try {
      await until(async () => node.output().includes(`Listening on ${new URL(node.url).host}`))
      for (const part of [
        'Available Accounts\n==================',
        '(0) 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266 (10000.000000000000000000 ETH)',
        'Private Keys\n==================',
        '(9) 0x2a871d0798f97d79848a013d4936a73bf4cc922c825d33c1cf7073dff6d409c6',
        'Mnemonic:          test test test test test test test test test test test junk',
        'Chain ID\n==================\n\n1337\n',
      ])
        expect(node.output()).toContain(part)
    } finally {
      await node.stop()
    }
  }),
)

describe('given a network with a genesis file', () => {
  independent('then it makes blocks every period, empty ones too, and serves only the enabled groups', () =>
    withFolder(async folder => {
      const network = writeNetwork(folder)
      const node = await startNode(join(folder, 'data'), [
        ...network,
        '--rpc-http-enabled',
        '--rpc-http-api=ETH,QBFT',
      ])
      try {
        await until(async () => Number((await head(node)).number) >= 3)
        const blocks = await Promise.all(
          [1, 2, 3].map(number => node.rpc<RpcBlock>('eth_getBlockByNumber', `0x${number}`, false)),
        )
        const times = blocks.map(({ timestamp }) => Number(timestamp))
        expect((times[1] as number) - (times[0] as number)).toBeGreaterThanOrEqual(1)
        expect((times[2] as number) - (times[1] as number)).toBeGreaterThanOrEqual(1)
        expect(await node.rpc('net_version').catch(String)).toContain('-32604 Method not enabled')
        expect(node.output()).toMatch(
          /Produced #1 \/ 0 tx \/ 0 pending \/ 0 \(0\.0%\) gas \/ \(0x[0-9a-f]{64}\)/,
        )
        expect(node.output()).not.toContain('Development accounts')
      } finally {
        expect(await node.stop()).toBe(0)
      }
    }),
  )

  independent('when empty blocks wait longer, then only a transaction makes one', () =>
    withFolder(async folder => {
      const network = writeNetwork(folder, {
        qbft: { emptyblockperiodseconds: 3600 },
        top: { timestamp: `0x${Math.floor(Date.now() / 1000 - 10).toString(16)}` },
      })
      const node = await startNode(join(folder, 'data'), [...network, '--rpc-http-enabled'])
      try {
        await Bun.sleep(300)
        expect(Number((await head(node)).number)).toBe(0)
        const { wallet, reader } = clientsOf(node.url, 4242)
        const hash = await wallet.sendTransaction({
          to: '0x00000000000000000000000000000000000000ff',
          value: 1n,
        })
        expect((await reader.waitForTransactionReceipt({ hash })).blockNumber).toBe(1n)
      } finally {
        await node.stop()
      }
    }),
  )

  const readers: readonly (readonly [what: string, validators: readonly number[], line: RegExp])[] = [
    ['is not a validator', [2], /is not the validator: it follows the chain and makes no blocks/],
    ['is one of four', [1, 2, 3, 4], /is one of 4 validators; a quorum of 3 makes blocks/],
    [
      'is one of four, alone for more than a round,',
      [1, 2, 3, 4],
      /No block for \d+ s: 1 of 4 validators are connected, 3 are needed; 0x/,
    ],
    [
      'is one of four and connects to no others',
      [1, 2, 3, 4],
      /is one of 4 validators and cannot reach the quorum of 3 alone: --p2p-enabled connects it/,
    ],
  ]
  independent.each(readers)(
    'when this node %s, then it serves reads, makes no blocks and says why',
    (what, validators, line) =>
      withFolder(async folder => {
        const network = writeNetwork(folder, { validators, qbft: { requesttimeoutseconds: 1 } })
        const node = await startNode(join(folder, 'data'), [
          ...network,
          '--rpc-http-enabled',
          '--logging-format=PLAIN',
          ...(what.includes('connects to no others') ? ['--p2p-enabled=false'] : []),
        ])
        try {
          await until(() => line.test(node.output()))
          expect(Number((await head(node)).number)).toBe(0)
        } finally {
          await node.stop()
        }
      }),
  )

  independent('when JSON-RPC is not enabled, then its options are named as without effect', () =>
    withFolder(async folder => {
      const network = writeNetwork(folder)
      const child = Bun.spawn(
        [
          process.execPath,
          'runtime/main.ts',
          `--data-path=${folder}`,
          ...network,
          '--rpc-http-port=0',
          '--p2p-port=0',
          '--logging-format=PLAIN',
        ],
        { stdout: 'pipe', stderr: 'ignore' },
      )
      let output = ''
      let told = false
      for await (const chunk of child.stdout) {
        output += new TextDecoder().decode(chunk)
        if (told || !output.includes('Produced #1 ')) continue
        // As a terminal and `bun run` in front of the node send it, twice.
        child.kill('SIGINT')
        child.kill('SIGINT')
        told = true
      }
      expect(await child.exited).toBe(0)
      expect(output).toContain('| Stopped')
      expect(output).toContain(
        '--rpc-http-port has been ignored because --rpc-http-enabled was not defined on the command line.',
      )
      expect(output).toContain('off, enable it with --rpc-http-enabled')
    }),
  )
})
