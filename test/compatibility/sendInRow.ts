import { until } from '../cluster/support/waiting.ts'
import { hasWeb3 } from './python/run.ts'
import { type Client, REPEATS } from './repeats.ts'

/** Sent before their receipts are waited for: a sender may be 200 nonces ahead of its account. */
const AT_ONCE = 100

export const CLIENTS: readonly Client[] = ['viem', 'ethers', 'cast', 'web3.py']

export const installedClients: readonly Client[] = CLIENTS.filter(client => client !== 'web3.py' || hasWeb3)

export type Endpoint = { readonly url: string; readonly chainId: number }

export const rpc = async (url: string, method: string, ...params: readonly unknown[]): Promise<unknown> => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body })
  return ((await response.json()) as { readonly result?: unknown }).result
}

const untilMined = async (url: string, client: Client, hashes: readonly string[]): Promise<void> => {
  const left = new Set(hashes)
  await until(`the receipts of ${client}`, async () => {
    for (const hash of left) {
      if ((await rpc(url, 'eth_getTransactionReceipt', hash)) === null) break
      left.delete(hash)
    }
    return left.size === 0
  })
}

/** Sends so many transfers with the client's default fees, and gives how many different ones were mined. */
export const sendInRow = async (
  { url, chainId }: Endpoint,
  client: Client,
  total: number,
): Promise<number> => {
  const hashes = new Set<string>()
  for (let first = 0; first < total; first += AT_ONCE) {
    const count = Math.min(AT_ONCE, total - first)
    const sent = await REPEATS[client]({ url, chainId, first, count })
    await untilMined(url, client, sent)
    for (const hash of sent) hashes.add(hash)
  }
  return hashes.size
}
