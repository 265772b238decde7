import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPublicClient, createWalletClient, defineChain, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { CHAIN_ID, privateKeyOf } from '../../compatibility/contract.ts'
import { compile } from '../../support/programs/solc.ts'
import { until } from '../../support/until.ts'
import { startNetwork, urlsIn } from '../networkProcess.ts'

export const FRIEND = privateKeyToAccount(privateKeyOf(9)).address
/** More than 2^53 of the smallest unit. */
export const AMOUNT = 98_765_432_109_876_543_210n

export type Contract = { readonly address: Hex; readonly abi: ReturnType<typeof compile>['abi'] }

/** A network of four validators and an RPC node with the explorer, and some transactions. */
export type ExploredNetwork = {
  readonly url: string
  readonly validators: readonly { readonly address: Hex; readonly url: string; readonly pid: number }[]
  readonly client: ReturnType<typeof createPublicClient>
  readonly token: Contract
  readonly transactions: Readonly<
    Record<'transferred' | 'forwarded' | 'collected' | 'batched' | 'failed', Hex>
  >
  end(): Promise<void>
}

const START_MS_MAX = 100_000

const validatorsIn = (output: string) =>
  [...output.matchAll(/validator\d+ +(0x[0-9a-f]{40}) +JSON-RPC (\S+) .*pid (\d+)/g)].map(
    ([, address, url, pid]) => ({
      address: address as Hex,
      url: url as string,
      pid: Number(pid),
    }),
  )

const walletAt = (url: string) => {
  const chain = defineChain({
    id: CHAIN_ID,
    name: 'network',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  })
  const options = { chain, transport: http(url), pollingInterval: 100 }
  return {
    client: createPublicClient(options),
    wallet: createWalletClient({ ...options, account: privateKeyToAccount(privateKeyOf(0)) }),
  }
}

const makeTransactions = async (url: string) => {
  const { client, wallet } = walletAt(url)
  const { abi, bytecode } = compile('Hostile')
  const deployment = await wallet.deployContract({ abi, bytecode })
  const { contractAddress } = await client.waitForTransactionReceipt({ hash: deployment })
  const token = { address: contractAddress as Hex, abi }
  const nonce = await client.getTransactionCount({ address: wallet.account.address })
  let sent = 0
  const send = (functionName: string, args: readonly unknown[]): Promise<Hex> =>
    wallet.writeContract({ ...token, functionName, args, gas: 300_000n, nonce: nonce + sent++ })
  // In one block: each block of its own is a second of five nodes.
  const [transferred, forwarded, collected, batched, failed] = await Promise.all([
    send('transfer', [FRIEND, AMOUNT]),
    send('forward', [FRIEND, AMOUNT]),
    send('collect', [FRIEND, 7n]),
    send('batch', [FRIEND, [1n, 2n], [10n, 20n]]),
    send('transfer', [FRIEND, 2n ** 200n]),
  ])
  const transactions = { transferred, forwarded, collected, batched, failed }
  for (const hash of Object.values(transactions)) await client.waitForTransactionReceipt({ hash })
  return { client, token, transactions }
}

export const startExploredNetwork = async (): Promise<ExploredNetwork> => {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-'))
  const network = startNetwork(folder, '--validators=4', '--block-period=1')
  const end = async (): Promise<void> => {
    await network.end('SIGTERM')
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await until(() => network.output().includes('Ctrl-C stops'), { timeoutMs: START_MS_MAX })
    const url = urlsIn(network.output())[0] as string
    return { url, validators: validatorsIn(network.output()), end, ...(await makeTransactions(url)) }
  } catch (error) {
    await end()
    throw error
  }
}
