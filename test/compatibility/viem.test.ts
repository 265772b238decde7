import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Address,
  BaseError,
  ContractFunctionRevertedError,
  createPublicClient,
  createWalletClient,
  defineChain,
  getContract,
  type Hash,
  http,
  parseEther,
  parseEventLogs,
  zeroAddress,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { type NodeProcess, startNode } from '../runtime/nodeProcess.ts'
import { minedReceipt } from '../runtime/transactions.ts'
import { compile } from '../support/programs/solc.ts'
import { AMOUNT, CHAIN_ID, privateKeyOf, SUPPLY } from './contract.ts'

const token = compile('Token')
const failures = compile('Failures')
const owner = privateKeyToAccount(privateKeyOf(0))
const friend = privateKeyToAccount(privateKeyOf(1))

const clientsOf = (url: string) => {
  const chain = defineChain({
    id: CHAIN_ID,
    name: 'development',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  })
  const options = { chain, transport: http(url), pollingInterval: 20 }
  return {
    reader: createPublicClient(options),
    wallet: createWalletClient({ ...options, account: owner }),
    friendWallet: createWalletClient({ ...options, account: friend }),
  }
}

describe('given unmodified viem', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-'))
  let node: NodeProcess
  let clients: ReturnType<typeof clientsOf>
  let address: Address
  let failuresAddress: Address

  const receiptOf = async (hash: Hash) => {
    await minedReceipt(clients.reader, hash)
    return await clients.reader.waitForTransactionReceipt({ hash })
  }
  const contract = () =>
    getContract({ address, abi: token.abi, client: { public: clients.reader, wallet: clients.wallet } })

  beforeAll(async () => {
    node = await startNode(folder)
    clients = clientsOf(node.url)
    const deployments = [
      await clients.wallet.deployContract({ ...token, args: [SUPPLY] }),
      await clients.wallet.deployContract(failures),
    ]
    const [first, second] = await Promise.all(deployments.map(receiptOf))
    address = first?.contractAddress as Address
    failuresAddress = second?.contractAddress as Address
  })
  afterAll(async () => {
    await node.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('when it deploys and transfers a token, then balances, receipt and logs are right', async () => {
    const { reader, wallet } = clients
    expect(await reader.getCode({ address })).toStartWith('0x6080')
    const { request, result } = await reader.simulateContract({
      address,
      abi: token.abi,
      functionName: 'transfer',
      args: [friend.address, AMOUNT],
      account: owner,
    })
    expect(result as unknown).toBe(true)
    const receipt = await receiptOf(await wallet.writeContract(request))
    expect(receipt).toMatchObject({ status: 'success', type: 'eip1559', to: address })
    expect(parseEventLogs({ abi: token.abi, logs: receipt.logs })).toMatchObject([
      { eventName: 'Transfer', args: { from: owner.address, to: friend.address, value: AMOUNT } },
    ])
    const { read } = contract()
    expect(await read['balanceOf']?.([friend.address])).toBe(AMOUNT)
    expect(await read['balanceOf']?.([owner.address])).toBe(SUPPLY - AMOUNT)
    expect(
      await reader.getContractEvents({ address, abi: token.abi, eventName: 'Transfer', fromBlock: 0n }),
    ).toHaveLength(2)
    expect(
      await reader.getContractEvents({
        address,
        abi: token.abi,
        eventName: 'Transfer',
        args: { to: friend.address },
        fromBlock: 0n,
      }),
    ).toMatchObject([{ blockNumber: receipt.blockNumber, transactionHash: receipt.transactionHash }])
    expect(
      await reader.readContract({
        address,
        abi: token.abi,
        functionName: 'balanceOf',
        args: [friend.address],
        blockNumber: receipt.blockNumber - 1n,
      }),
    ).toBe(0n)
  })

  test('when it polls filters, then it gets events and blocks', async () => {
    const { reader, wallet } = clients
    const seen: unknown[] = []
    const blocks: bigint[] = []
    const filter = await reader.createContractEventFilter({ address, abi: token.abi, eventName: 'Transfer' })
    const stopBlocks = reader.watchBlockNumber({ onBlockNumber: number => blocks.push(number) })
    const heard = new Promise<void>(resolve => {
      const stop = reader.watchContractEvent({
        address,
        abi: token.abi,
        eventName: 'Transfer',
        onLogs: logs => {
          seen.push(...logs)
          stop()
          resolve()
        },
      })
    })
    // The watcher's filter must be there before the event.
    await Bun.sleep(100)
    const { blockNumber } = await receiptOf(
      await wallet.writeContract({
        address,
        abi: token.abi,
        functionName: 'transfer',
        args: [friend.address, 1n],
      }),
    )
    await heard
    stopBlocks()
    expect(seen).toMatchObject([{ args: { to: friend.address, value: 1n } }])
    expect(await reader.getFilterChanges({ filter })).toMatchObject([{ blockNumber }])
    expect(await reader.uninstallFilter({ filter })).toBe(true)
  })

  test('when a call fails, then it gets the reason, custom error or panic', async () => {
    const reverted = async (call: Promise<unknown>): Promise<ContractFunctionRevertedError> => {
      const error: unknown = await call.then(
        () => undefined,
        (cause: unknown) => cause,
      )
      const found =
        error instanceof BaseError
          ? error.walk(cause => cause instanceof ContractFunctionRevertedError)
          : null
      if (found instanceof ContractFunctionRevertedError) return found
      throw error
    }
    const { reader, wallet } = clients
    const poor = {
      address,
      abi: token.abi,
      functionName: 'transfer',
      args: [owner.address, SUPPLY],
      account: friend,
    }
    expect((await reverted(reader.simulateContract(poor))).reason).toBe('balance too low')
    expect(
      (await reverted(wallet.writeContract({ ...poor, args: [zeroAddress, 1n], account: owner }))).reason,
    ).toBe('transfer to the zero address')
    const allowance = await reverted(
      reader.simulateContract({
        ...poor,
        functionName: 'transferFrom',
        args: [owner.address, friend.address, 5n],
      }),
    )
    expect(allowance.data).toMatchObject({ errorName: 'AllowanceTooLow', args: [friend.address, 0n, 5n] })
    const panic = await reverted(
      reader.readContract({
        address: failuresAddress,
        abi: failures.abi,
        functionName: 'withPanic',
        args: [0n],
      }),
    )
    expect(panic.data).toMatchObject({ errorName: 'Panic', args: [0x12n] })
  })

  test('when a mined transaction failed, then it reads why', async () => {
    const { reader, wallet } = clients
    const receipt = await receiptOf(
      await wallet.writeContract({
        address: failuresAddress,
        abi: failures.abi,
        functionName: 'withReason',
        gas: 100_000n,
      }),
    )
    expect(receipt.status).toBe('reverted')
    const { input } = await reader.getTransaction({ hash: receipt.transactionHash })
    const error: unknown = await reader
      .call({ to: failuresAddress, data: input, blockNumber: receipt.blockNumber })
      .catch((cause: unknown) => cause)
    expect(String(error)).toContain('no reason to go on')
  })

  test('when it estimates gas, then that suffices', async () => {
    const { reader, wallet } = clients
    expect(await reader.estimateGas({ account: owner, to: friend.address, value: 1n })).toBe(21_000n)
    const deep = {
      address: failuresAddress,
      abi: failures.abi,
      functionName: 'deep',
      args: [12n],
      account: owner,
    }
    const gas = await reader.estimateContractGas(deep)
    expect((await receiptOf(await wallet.writeContract({ ...deep, gas }))).status).toBe('success')
  })

  test('when it sends transactions of types 0, 1, 2 and 4, then they are mined', async () => {
    const { reader, wallet, friendWallet } = clients
    const to = friend.address
    const gasPrice = await reader.getGasPrice()
    const accessList = [{ address, storageKeys: [`0x${'00'.repeat(32)}` as const] }]
    const legacy = await receiptOf(await wallet.sendTransaction({ to, value: 1n, type: 'legacy', gasPrice }))
    const listed = await receiptOf(
      await wallet.sendTransaction({ to, value: 1n, type: 'eip2930', accessList, gasPrice }),
    )
    const market = await receiptOf(await wallet.sendTransaction({ to, value: parseEther('1') }))
    const authorization = await friendWallet.signAuthorization({ contractAddress: failuresAddress })
    const setCode = await receiptOf(
      await wallet.sendTransaction({ to: owner.address, authorizationList: [authorization] }),
    )
    expect([legacy, listed, market, setCode].map(({ type, status }) => [type, status])).toEqual([
      ['legacy', 'success'],
      ['eip2930', 'success'],
      ['eip1559', 'success'],
      ['eip7702', 'success'],
    ])
    expect(await reader.getCode({ address: friend.address })).toBe(
      `0xef0100${failuresAddress.slice(2).toLowerCase()}`,
    )
    expect((await reader.getTransaction({ hash: setCode.transactionHash })).authorizationList).toHaveLength(1)
    // An account that delegates still sends.
    expect(
      (await receiptOf(await friendWallet.sendTransaction({ to: owner.address, value: 1n }))).status,
    ).toBe('success')
  })

  test('when it reads blocks, fees, proofs and nonces, then they are right', async () => {
    const { reader } = clients
    const block = await reader.getBlock({ includeTransactions: true })
    expect(block.transactions.length).toBeGreaterThan(0)
    expect(await reader.getBlock({ blockHash: block.hash })).toMatchObject({ number: block.number })
    expect((await reader.getFeeHistory({ blockCount: 4, rewardPercentiles: [25, 75] })).reward).toHaveLength(
      4,
    )
    expect(await reader.estimateMaxPriorityFeePerGas()).toBeGreaterThanOrEqual(0n)
    expect(
      (await reader.getProof({ address, storageKeys: [`0x${'00'.repeat(32)}`] })).accountProof.length,
    ).toBeGreaterThan(0)
    expect(await reader.getTransactionCount({ address: owner.address })).toBeGreaterThan(0)
    expect(await reader.getStorageAt({ address: failuresAddress, slot: '0x0' })).toBeString()
    expect(
      (await reader.createAccessList({ account: owner, to: address, data: '0x18160ddd' })).gasUsed,
    ).toBeGreaterThan(21_000n)
  })
})
