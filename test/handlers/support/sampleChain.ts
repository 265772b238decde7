import { type Abi, encodeDeployData, encodeFunctionData, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { compile } from '../../support/programs/solc.ts'
import { ACCOUNTS, startTestNode, type TestNode, type TestNodeOptions } from './testNode.ts'

export const SUPPLY = 1_000_000n

/** The first development accounts: one deploys, one receives, one delegates. */
export const [DEPLOYER, RECEIVER, DELEGATOR] = ACCOUNTS.slice(0, 3).map(({ privateKey }) =>
  privateKeyToAccount(privateKey),
) as [
  ReturnType<typeof privateKeyToAccount>,
  ReturnType<typeof privateKeyToAccount>,
  ReturnType<typeof privateKeyToAccount>,
]

const GAS_PRICE = 2_000_000_000n
const CHAIN_ID = 1337

export type Sample = {
  readonly node: TestNode
  readonly token: Hex
  readonly tokenAbi: Abi
  readonly failures: Hex
  readonly failuresAbi: Abi
  /** Transactions of each block, from block 1 on. */
  readonly hashes: readonly (readonly Hex[])[]
  encode(contract: 'token' | 'failures', functionName: string, args?: readonly unknown[]): Hex
}

/**
 * A chain of five blocks with a transaction of every type that a node takes: 1 deploys a token (legacy), 2 transfers it
 * (types 2 and 1), 3 deploys the contract that fails, 4 has it fail (type 2) and delegates an account (type 4), 5 has it
 * emit an event.
 */
export const startSampleChain = async (options: TestNodeOptions = {}): Promise<Sample> => {
  const node = await startTestNode(options)
  const { abi: tokenAbi, bytecode: tokenCode } = compile('Token')
  const { abi: failuresAbi, bytecode: failuresCode } = compile('Failures')
  const hashes: Hex[][] = []
  let nonce = 0
  const fees = {
    maxFeePerGas: GAS_PRICE,
    maxPriorityFeePerGas: 1_000_000n,
    chainId: CHAIN_ID,
    gas: 3_000_000n,
  }

  const mine = async (...transactions: readonly Hex[]): Promise<void> => {
    const block: Hex[] = []
    for (const transaction of transactions)
      block.push((await node.call('eth_sendRawTransaction', transaction)) as Hex)
    await node.mine()
    hashes.push(block)
  }
  const contractOf = async (hash: Hex): Promise<Hex> =>
    ((await node.call('eth_getTransactionReceipt', hash)) as { contractAddress: Hex }).contractAddress

  await mine(
    await DEPLOYER.signTransaction({
      type: 'legacy',
      chainId: CHAIN_ID,
      nonce: nonce++,
      gas: 3_000_000n,
      gasPrice: GAS_PRICE,
      data: encodeDeployData({ abi: tokenAbi, bytecode: tokenCode, args: [SUPPLY] }),
    }),
  )
  const token = await contractOf(hashes[0]?.[0] as Hex)
  const transfer = (amount: bigint): Hex =>
    encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args: [RECEIVER.address, amount] })
  await mine(
    await DEPLOYER.signTransaction({
      ...fees,
      type: 'eip1559',
      nonce: nonce++,
      to: token,
      data: transfer(100n),
    }),
    await DEPLOYER.signTransaction({
      type: 'eip2930',
      chainId: CHAIN_ID,
      nonce: nonce++,
      gas: 3_000_000n,
      gasPrice: GAS_PRICE,
      to: token,
      data: transfer(23n),
      accessList: [{ address: token, storageKeys: [`0x${'00'.repeat(32)}`] }],
    }),
  )
  await mine(await DEPLOYER.signTransaction({ ...fees, type: 'eip1559', nonce: nonce++, data: failuresCode }))
  const failures = await contractOf(hashes[2]?.[0] as Hex)
  const encodeFailure = (functionName: string, args: readonly unknown[] = []): Hex =>
    encodeFunctionData({ abi: failuresAbi, functionName, args })
  await mine(
    await DEPLOYER.signTransaction({
      ...fees,
      type: 'eip1559',
      nonce: nonce++,
      to: failures,
      data: encodeFailure('withReason'),
    }),
    await DELEGATOR.signTransaction({
      ...fees,
      type: 'eip7702',
      nonce: 0,
      to: RECEIVER.address,
      value: 5n,
      authorizationList: [
        await DELEGATOR.signAuthorization({ contractAddress: failures, chainId: CHAIN_ID, nonce: 1 }),
      ],
    }),
  )
  await mine(
    await DEPLOYER.signTransaction({
      ...fees,
      type: 'eip1559',
      nonce: nonce++,
      to: failures,
      data: encodeFailure('count'),
    }),
  )
  return {
    node,
    token,
    tokenAbi,
    failures,
    failuresAbi,
    hashes,
    encode: (contract, functionName, args = []) =>
      encodeFunctionData({ abi: contract === 'token' ? tokenAbi : failuresAbi, functionName, args }),
  }
}
