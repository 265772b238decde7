import { compile } from '../programs/solc.ts'
import { clientsOf } from '../../runtime/transactions.ts'

/** What a chain with a token has, for requests about it. */
export type TokenChain = {
  readonly account: `0x${string}`
  readonly token: `0x${string}`
  readonly hashes: readonly `0x${string}`[]
}

const padded = (address: string): string => address.slice(2).padStart(64, '0')

/** Deploys the token on a development chain and transfers it. */
export const makeTokenChain = async (url: string, transfers: number): Promise<TokenChain> => {
  const { account, wallet, reader } = clientsOf(url)
  const { abi, bytecode } = compile('Token')
  const deployed = await reader.waitForTransactionReceipt({
    hash: await wallet.deployContract({ abi, bytecode, args: [1_000_000n] }),
  })
  const token = deployed.contractAddress as `0x${string}`
  const hashes: `0x${string}`[] = [deployed.transactionHash]
  for (let index = 0; index < transfers; index++) {
    const to = `0x${(4096 + index).toString(16).padStart(40, '0')}` as const
    const hash = await wallet.writeContract({ abi, address: token, functionName: 'transfer', args: [to, 5n] })
    await reader.waitForTransactionReceipt({ hash })
    hashes.push(hash)
  }
  return { account: account.address, token, hashes }
}

export type Request = readonly [method: string, ...params: unknown[]]

/** Requests of every kind that a reader answers, about blocks up to `head`. */
export const readerRequests = ({ account, token, hashes }: TokenChain, head: number): readonly Request[] => {
  const at = `0x${head.toString(16)}`
  const past = `0x${Math.floor(head / 2).toString(16)}`
  const holder = `0x${(4097).toString(16).padStart(40, '0')}`
  const balanceOf = (address: string): object => ({ to: token, data: `0x70a08231${padded(address)}` })
  const transfer = { from: account, to: token, data: `0xa9059cbb${padded(holder)}${'5'.padStart(64, '0')}` }
  const topics = [null, null, `0x${padded(holder)}`]
  return [
    ['eth_chainId'],
    ['net_version'],
    ['eth_blockNumber'],
    ['eth_syncing'],
    ['eth_gasPrice'],
    ['eth_getBlockByNumber', at, false],
    ['eth_getBlockByNumber', past, true],
    ['eth_getBlockByNumber', '0x0', true],
    ['eth_getBlockByNumber', 'latest', false],
    ['eth_getBlockByNumber', 'finalized', false],
    ['eth_getBlockByHash', `0x${'ab'.repeat(32)}`, false],
    ['eth_getBlockReceipts', past],
    ['eth_getTransactionByHash', hashes[2]],
    ['eth_getTransactionReceipt', hashes[0]],
    ['eth_getTransactionReceipt', hashes.at(-1)],
    ['eth_getTransactionReceipt', `0x${'cd'.repeat(32)}`],
    ['eth_getBalance', account, at],
    ['eth_getBalance', account, past],
    ['eth_getBalance', holder, at],
    ['eth_getTransactionCount', account, at],
    ['eth_getTransactionCount', account, 'pending'],
    ['eth_getCode', token, at],
    ['eth_getStorageAt', token, '0x0', at],
    ['eth_getStorageAt', token, '0x0', past],
    ['eth_call', balanceOf(account), at],
    ['eth_call', balanceOf(holder), past],
    ['eth_call', balanceOf(holder), 'latest'],
    ['eth_estimateGas', transfer, at],
    ['eth_createAccessList', transfer, at],
    ['eth_simulateV1', { blockStateCalls: [{ calls: [transfer] }] }, at],
    ['eth_getLogs', { fromBlock: '0x0', toBlock: at, address: token, topics }],
    ['eth_getLogs', { fromBlock: past, toBlock: 'latest' }],
    ['eth_getProof', account, [], at],
    ['eth_getProof', token, ['0x0', '0x1'], at],
    ['eth_getProof', token, ['0x0'], past],
    ['eth_feeHistory', '0x4', at, [50]],
    ['qbft_getValidatorsByBlockNumber', at],
    ['qbft_getSignerMetrics'],
    ['debug_traceTransaction', hashes[1]],
    ['debug_getRawBlock', past],
  ]
}

/** The body of the answer. */
export const ask = async (url: string, [method, ...params]: Request): Promise<string> => {
  const response = await fetch(url, {
    method: 'POST',
    // A connection that is used again may be one that a killed server has just ended.
    headers: { 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return await response.text()
}

/** The requests that two servers answer differently. */
export const differentAnswers = async (
  url: string,
  other: string,
  requests: readonly Request[],
): Promise<readonly string[]> => {
  const differences: string[] = []
  for (const request of requests) {
    const [expected, found] = [await ask(url, request), await ask(other, request)]
    if (expected !== found)
      differences.push(`${JSON.stringify(request)}\n  ${expected.slice(0, 300)}\n  ${found.slice(0, 300)}`)
  }
  return differences
}
