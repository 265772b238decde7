import { createPublicClient, createWalletClient, defineChain, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { toHex } from '../../core/bytes/hex.ts'
import { DEVELOPMENT_ACCOUNTS, type DevelopmentAccount } from '../../core/genesis/developmentAccounts.ts'

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
  return { account, wallet: createWalletClient({ ...options, account }), reader: createPublicClient(options) }
}
