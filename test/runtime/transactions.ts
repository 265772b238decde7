import {
  createPublicClient,
  createWalletClient,
  defineChain,
  type Hash,
  http,
  type PublicClient,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { toHex } from '../../core/bytes/hex.ts'
import { DEVELOPMENT_ACCOUNTS, type DevelopmentAccount } from '../../core/genesis/development/accounts.ts'
import { until } from '../support/until.ts'

/**
 * The receipt of a transaction once it is mined. viem's own `waitForTransactionReceipt` misses a block that comes while it
 * looks into the one before, and then waits for the next: on a chain without empty blocks that is for ever.
 */
export const minedReceipt = async (
  reader: Pick<PublicClient, 'getTransactionReceipt'>,
  hash: Hash,
): Promise<TransactionReceipt> =>
  until(async () => {
    try {
      return await reader.getTransactionReceipt({ hash })
    } catch (error) {
      if (!(error instanceof TransactionReceiptNotFoundError)) throw error
      return undefined
    }
  })

/** viem's clients of a node, signing with one of the development accounts. */
export const clientsOf = (url: string, chainId = 1337, index = 0) => {
  const chain = defineChain({
    id: chainId,
    name: 'test',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  })
  const account = privateKeyToAccount(
    toHex((DEVELOPMENT_ACCOUNTS[index] as DevelopmentAccount).privateKey) as `0x${string}`,
  )
  const options = { chain, transport: http(url), pollingInterval: 20 }
  const client = createPublicClient(options)
  const reader = {
    ...client,
    waitForTransactionReceipt: ({ hash }: { readonly hash: Hash }) => minedReceipt(client, hash),
  }
  return { account, wallet: createWalletClient({ ...options, account }), reader }
}
