import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ContractFactory, type InterfaceAbi, JsonRpcProvider, Wallet } from 'ethers'
import {
  createPublicClient,
  createWalletClient,
  concatHex,
  defineChain,
  getContractAddress,
  type Hex,
  http,
  parseAbi,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { type NetworkProcess, startNetwork, urlsIn } from '../runtime/networkProcess.ts'
import { PROCESS_TEST_TIMEOUT_MS } from '../runtime/nodeProcess.ts'
import { foundryProgram } from '../support/programs/foundry.ts'
import { runProgram } from '../support/programs/runProgram.ts'
import { compile } from '../support/programs/solc.ts'
import { AMOUNT, CHAIN_ID, privateKeyOf, SUPPLY } from './contract.ts'
import { hasWeb3, runPython } from './python/run.ts'
import { until } from '../support/until.ts'

setDefaultTimeout(2 * PROCESS_TEST_TIMEOUT_MS)

const token = compile('Token')
const FRIEND = privateKeyToAccount(privateKeyOf(9)).address

const CREATE2_DEPLOYER = '0x4e59b44847b379578588920cA78FbF26c0B4956C'
const MULTICALL3 = '0xcA11bde05977b3631167028862bE2a173976CA11'

describe('given unmodified clients with their default fees and `bun run network`', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-'))
  let network: NetworkProcess
  let url: string
  let provider: JsonRpcProvider

  const viemOf = (account: number) => {
    const chain = defineChain({
      id: CHAIN_ID,
      name: 'network',
      nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
      rpcUrls: { default: { http: [url] } },
      contracts: { multicall3: { address: MULTICALL3 } },
    })
    const options = { chain, transport: http(url), pollingInterval: 20 }
    return {
      reader: createPublicClient(options),
      wallet: createWalletClient({ ...options, account: privateKeyToAccount(privateKeyOf(account)) }),
    }
  }

  beforeAll(async () => {
    network = startNetwork(folder, '--validators=1', '--block-period-ms=50')
    await until(() => network.output().includes('Ctrl-C stops'))
    url = urlsIn(network.output())[0] as string
    provider = new JsonRpcProvider(url, undefined, { cacheTimeout: -1, pollingInterval: 20 })
  })
  afterAll(async () => {
    provider.destroy()
    await network.end('SIGTERM')
    rmSync(folder, { recursive: true, force: true })
  })

  test('when viem deploys, transfers, uses Multicall3 and CREATE2, then all works', async () => {
    const { reader, wallet } = viemOf(0)
    const mined = (hash: Hex) => reader.waitForTransactionReceipt({ hash })
    const deployed = await mined(await wallet.deployContract({ ...token, args: [SUPPLY] }))
    const address = deployed.contractAddress as Hex
    const contract = { address, abi: token.abi }
    const moved = await mined(
      await wallet.writeContract({ ...contract, functionName: 'transfer', args: [FRIEND, AMOUNT] }),
    )
    expect(moved).toMatchObject({ status: 'success', type: 'eip1559' })
    const paid = await mined(await wallet.sendTransaction({ to: FRIEND, value: 5n, type: 'legacy' }))
    expect(paid).toMatchObject({ status: 'success', type: 'legacy' })
    const read = await reader.multicall({
      contracts: [
        { ...contract, functionName: 'balanceOf', args: [FRIEND] },
        { ...contract, functionName: 'totalSupply' },
      ],
      allowFailure: false,
    })
    expect(read as readonly unknown[]).toEqual([AMOUNT, SUPPLY])
    const initialization = concatHex([token.bytecode, `0x${SUPPLY.toString(16).padStart(64, '0')}`])
    const salt: Hex = `0x${'07'.repeat(32)}`
    await mined(
      await wallet.sendTransaction({ to: CREATE2_DEPLOYER, data: concatHex([salt, initialization]) }),
    )
    const created = getContractAddress({
      opcode: 'CREATE2',
      from: CREATE2_DEPLOYER,
      salt,
      bytecode: initialization,
    })
    const supply = await reader.readContract({
      address: created,
      abi: parseAbi(['function totalSupply() view returns (uint256)']),
      functionName: 'totalSupply',
    })
    expect(supply).toBe(SUPPLY)
    expect((await reader.getBlock({ blockTag: 'finalized' })).number).toBeGreaterThanOrEqual(
      moved.blockNumber,
    )
  })

  test('when ethers deploys, transfers and reads, then all works', async () => {
    const wallet = new Wallet(privateKeyOf(1), provider)
    const factory = new ContractFactory(token.abi as unknown as InterfaceAbi, token.bytecode, wallet)
    const contract = await (await factory.deploy(SUPPLY)).waitForDeployment()
    const moved = await contract.getFunction('transfer')(FRIEND, AMOUNT)
    expect(await moved.wait()).toMatchObject({ status: 1, type: 2 })
    expect(await contract.getFunction('balanceOf')(FRIEND)).toBe(AMOUNT)
    const paid = await wallet.sendTransaction({ to: FRIEND, value: 5n })
    expect(await paid.wait()).toMatchObject({ status: 1, type: 2 })
  })

  test.skipIf(!hasWeb3)(
    `when web3.py deploys, transfers and reads, then all works${hasWeb3 ? '' : ' (python3 -m pip install web3)'}`,
    async () => {
      const { abi, bytecode } = token
      const asked = {
        url,
        key: privateKeyOf(2),
        friend: FRIEND,
        supply: Number(SUPPLY),
        amount: Number(AMOUNT),
      }
      expect(await runPython('sends.py', { ...asked, abi, bytecode })).toEqual({
        statuses: [1, 1, 1, 1],
        types: [2, 2, 2, 0],
        balance: Number(AMOUNT),
        events: 2,
        finalized: true,
        rewards: [2, 2],
      })
    },
  )

  test('when cast deploys, transfers and reads, then all works', async () => {
    const cast = async (...args: readonly string[]): Promise<string> => {
      const environment = { ETH_RPC_URL: url }
      return (await runProgram([foundryProgram('cast'), ...args], import.meta.dir, { environment })).trim()
    }
    const send = async (...args: readonly string[]): Promise<Record<string, unknown>> =>
      JSON.parse(await cast('send', '--json', '--private-key', privateKeyOf(3), ...args)) as Record<
        string,
        unknown
      >
    const { contractAddress } = await send('--create', token.bytecode, 'constructor(uint256)', String(SUPPLY))
    const address = contractAddress as string
    expect(await send(address, 'transfer(address,uint256)', FRIEND, String(AMOUNT))).toMatchObject({
      status: '0x1',
      type: '0x2',
    })
    expect(await cast('call', address, 'balanceOf(address)(uint256)', FRIEND)).toStartWith(String(AMOUNT))
    expect(await send(FRIEND, '--value', '5', '--legacy')).toMatchObject({ status: '0x1', type: '0x0' })
    expect(Number(await cast('block', 'finalized', '--field', 'number'))).toBeGreaterThan(0)
    expect(await cast('code', MULTICALL3)).toStartWith('0x6080')
  })
})
