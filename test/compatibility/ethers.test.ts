import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type BaseContract,
  type CallExceptionError,
  Contract,
  ContractFactory,
  type ContractTransactionReceipt,
  type ContractTransactionResponse,
  type InterfaceAbi,
  isCallException,
  JsonRpcProvider,
  type Log,
  NonceManager,
  parseEther,
  type TransactionReceipt,
  type TransactionRequest,
  Wallet,
  ZeroAddress,
} from 'ethers'
import { type NodeProcess, startNode } from '../runtime/nodeProcess.ts'
import { compile } from '../support/programs/solc.ts'
import { AMOUNT, privateKeyOf, SUPPLY } from './contract.ts'

const token = compile('Token')
const failures = compile('Failures')

/** A contract's function by name; ethers makes them when it reads the ABI. */
const fn = (contract: Contract, name: string) => contract.getFunction(name)

describe('given unmodified ethers', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-'))
  let node: NodeProcess
  let provider: JsonRpcProvider
  let owner: NonceManager
  let friend: Wallet
  let ownerAddress: string
  let contract: Contract
  let failing: Contract

  const deploy = async ({ abi, bytecode }: typeof token, ...args: unknown[]): Promise<Contract> => {
    const deployed: BaseContract = await new ContractFactory(
      abi as unknown as InterfaceAbi,
      bytecode,
      owner,
    ).deploy(...args)
    await deployed.waitForDeployment()
    return new Contract(await deployed.getAddress(), abi as unknown as InterfaceAbi, owner)
  }
  const mined = async (sent: Promise<ContractTransactionResponse>): Promise<ContractTransactionReceipt> =>
    (await (await sent).wait()) as ContractTransactionReceipt

  beforeAll(async () => {
    node = await startNode(folder)
    provider = new JsonRpcProvider(node.url, undefined, { cacheTimeout: -1 })
    provider.pollingInterval = 20
    const wallet = new Wallet(privateKeyOf(0), provider)
    ownerAddress = wallet.address
    owner = new NonceManager(wallet)
    friend = new Wallet(privateKeyOf(1), provider)
    contract = await deploy(token, SUPPLY)
    failing = await deploy(failures)
  })
  afterAll(async () => {
    provider.destroy()
    await node.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('when it deploys and transfers a token, then balances, receipt and logs are right', async () => {
    const receipt = await mined(fn(contract, 'transfer')(friend.address, AMOUNT))
    expect(receipt).toMatchObject({ status: 1, type: 2 })
    expect(receipt.logs).toHaveLength(1)
    expect(await fn(contract, 'balanceOf')(friend.address)).toBe(AMOUNT)
    expect(await fn(contract, 'balanceOf')(ownerAddress)).toBe(SUPPLY - AMOUNT)
    const filter = contract.filters['Transfer']?.(null, friend.address)
    const events = await contract.queryFilter(filter as never, 0, 'latest')
    expect(events.map(({ transactionHash }) => transactionHash)).toEqual([receipt.hash])
    expect(await fn(contract, 'balanceOf')(friend.address, { blockTag: receipt.blockNumber - 1 })).toBe(0n)
  })

  test('when it polls, then it gets events', async () => {
    const heard = new Promise<unknown[]>(resolve => {
      void contract.once('Transfer', (...args: unknown[]) => resolve(args))
    })
    await Bun.sleep(100)
    await mined(fn(contract, 'transfer')(friend.address, 1n))
    expect((await heard).slice(0, 3)).toEqual([ownerAddress, friend.address, 1n])
  })

  test('when a call fails, then it gets the reason, custom error or panic', async () => {
    const failure = async (call: Promise<unknown>): Promise<CallExceptionError> => {
      const error: unknown = await call.then(
        () => undefined,
        (cause: unknown) => cause,
      )
      if (isCallException(error)) return error
      throw error
    }
    const asFriend = contract.connect(friend) as Contract
    expect((await failure(fn(asFriend, 'transfer')(ownerAddress, SUPPLY))).reason).toBe('balance too low')
    expect((await failure(fn(contract, 'transfer').staticCall(ZeroAddress, 1n))).reason).toBe(
      'transfer to the zero address',
    )
    const custom = await failure(fn(asFriend, 'transferFrom').staticCall(ownerAddress, friend.address, 5n))
    expect(custom.revert).toMatchObject({ name: 'AllowanceTooLow' })
    expect([...(custom.revert?.args ?? [])]).toEqual([friend.address, 0n, 5n])
    const panic = await failure(fn(failing, 'withPanic')(0n))
    expect(panic.revert).toMatchObject({ name: 'Panic' })
    expect(panic.reason).toContain('DIVIDE_BY_ZERO')
  })

  test('when a mined transaction failed, then it knows', async () => {
    const error: unknown = await mined(fn(failing, 'withReason').send({ gasLimit: 100_000n })).catch(
      (cause: unknown) => cause,
    )
    expect(isCallException(error) && error.receipt?.status).toBe(0)
  })

  test('when it estimates gas, then that suffices', async () => {
    expect(await provider.estimateGas({ from: ownerAddress, to: friend.address, value: 1n })).toBe(21_000n)
    const gasLimit = await fn(failing, 'deep').estimateGas(12n)
    expect((await mined(fn(failing, 'deep')(12n, { gasLimit }))).status).toBe(1)
  })

  test('when it sends transactions of types 0, 1, 2 and 4, then they are mined', async () => {
    const send = async (request: TransactionRequest): Promise<TransactionReceipt> =>
      (await (await owner.sendTransaction(request)).wait()) as TransactionReceipt
    const to = friend.address
    const accessList = [{ address: await contract.getAddress(), storageKeys: [`0x${'00'.repeat(32)}`] }]
    const receipts = [
      await send({ to, value: 1n, type: 0 }),
      await send({ to, value: 1n, type: 1, accessList }),
      await send({ to, value: parseEther('1') }),
      await send({
        to: ownerAddress,
        type: 4,
        authorizationList: [await friend.authorize({ address: await failing.getAddress() })],
      }),
    ]
    expect(receipts.map(({ type, status }) => [type, status])).toEqual([
      [0, 1],
      [1, 1],
      [2, 1],
      [4, 1],
    ])
    expect(await provider.getCode(friend.address)).toStartWith('0xef0100')
  })

  test('when it reads blocks, fees and logs, then they are right', async () => {
    const block = await provider.getBlock('latest', true)
    expect(block?.prefetchedTransactions.length).toBeGreaterThan(0)
    expect((await provider.getBlock(block?.hash as string))?.number).toBe(block?.number as number)
    const { gasPrice, maxFeePerGas } = await provider.getFeeData()
    expect(gasPrice).toBeGreaterThan(0n)
    expect(maxFeePerGas).toBeGreaterThan(0n)
    const logs: Log[] = await provider.getLogs({ address: await contract.getAddress(), fromBlock: 0 })
    expect(logs.length).toBeGreaterThan(1)
    expect((await provider.getNetwork()).chainId).toBe(1337n)
    expect(await provider.getTransactionCount(ownerAddress)).toBeGreaterThan(0)
  })
})
