import { call } from '../rpc/client.ts'
import type { Hex } from '../rpc/types.ts'

/** A wallet of the browser (EIP-1193). */
type Provider = {
  request(call: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>
}

type Announcement = Event & { readonly detail?: { readonly provider?: Provider } }

/** Time in which wallets announce themselves (EIP-6963); they do so at once. */
const ANNOUNCE_MS = 100

const findProvider = async (): Promise<Provider> => {
  const announced: Provider[] = []
  const listen = (event: Announcement): void => {
    if (event.detail?.provider !== undefined) announced.push(event.detail.provider)
  }
  addEventListener('eip6963:announceProvider', listen)
  dispatchEvent(new Event('eip6963:requestProvider'))
  await new Promise(resolve => setTimeout(resolve, ANNOUNCE_MS))
  removeEventListener('eip6963:announceProvider', listen)
  const provider = (globalThis as { readonly ethereum?: Provider }).ethereum ?? announced[0]
  if (provider === undefined) throw new Error('This browser has no wallet (EIP-1193) on this page.')
  return provider
}

/** A transaction must not be signed for another chain than the one on the page. */
const requireChain = async (provider: Provider): Promise<void> => {
  const wanted = await call<Hex>('eth_chainId')
  const chosen = async (): Promise<boolean> =>
    BigInt((await provider.request({ method: 'eth_chainId' })) as Hex) === BigInt(wanted)
  if (await chosen()) return
  await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: wanted }] })
  if (!(await chosen())) throw new Error(`Choose chain ${BigInt(wanted)} in your wallet.`)
}

/** Asks the wallet to sign and send a call. Returns the hash of the transaction. @throws Error with the reason */
export const sendThroughWallet = async (to: Hex, data: Hex, value: bigint): Promise<Hex> => {
  const provider = await findProvider()
  const [from] = (await provider.request({ method: 'eth_requestAccounts' })) as readonly Hex[]
  if (from === undefined) throw new Error('The wallet gave no account.')
  await requireChain(provider)
  const transaction = { from, to, data, value: `0x${value.toString(16)}` }
  return (await provider.request({ method: 'eth_sendTransaction', params: [transaction] })) as Hex
}
