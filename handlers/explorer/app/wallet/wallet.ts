import { isAddressText, isHash } from '../format/hex.ts'
import { call } from '../rpc/client.ts'
import type { Hex } from '../rpc/types.ts'

/** A wallet of the browser (EIP-1193). */
type Provider = {
  request(call: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>
}

type Announcement = Event & { readonly detail?: { readonly provider?: Provider } }

/** Time in which wallets announce themselves (EIP-6963); they do so at once. */
const ANNOUNCE_MS = 100

/** Codes of EIP-1193 and EIP-3326. */
const REJECTED = 4001
const UNKNOWN_CHAIN = 4902

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

/** Wallets reject with errors or with plain objects. */
const failureOf = (method: string, cause: unknown): Error => {
  const { code, message } = (cause ?? {}) as { readonly code?: unknown; readonly message?: unknown }
  if (code === REJECTED) return new Error('You rejected the request in your wallet.', { cause })
  if (code === UNKNOWN_CHAIN)
    return new Error('Your wallet does not know this chain: add the network there first.', { cause })
  return new Error(`The wallet refused ${method}: ${String(message ?? cause)}`, { cause })
}

const request = async (provider: Provider, method: string, params?: readonly unknown[]): Promise<unknown> => {
  try {
    return await provider.request(params === undefined ? { method } : { method, params })
  } catch (cause) {
    throw failureOf(method, cause)
  }
}

/** A transaction must not be signed for another chain than the one on the page. */
const requireChain = async (provider: Provider): Promise<void> => {
  const wanted = BigInt(await call<Hex>('eth_chainId'))
  const isChosen = async (): Promise<boolean> => {
    const chosen = await request(provider, 'eth_chainId')
    return /^(?:0x[0-9a-f]+|\d+)$/i.test(String(chosen)) && BigInt(chosen as Hex) === wanted
  }
  if (await isChosen()) return
  await request(provider, 'wallet_switchEthereumChain', [{ chainId: `0x${wanted.toString(16)}` }])
  if (!(await isChosen())) throw new Error(`Choose chain ${wanted} in your wallet.`)
}

const accountOf = async (provider: Provider): Promise<string> => {
  const accounts = await request(provider, 'eth_requestAccounts')
  const account: unknown = Array.isArray(accounts) ? accounts[0] : undefined
  if (typeof account !== 'string' || !isAddressText(account)) throw new Error('The wallet gave no account.')
  return account
}

/** Asks the wallet to sign and send a call. Returns the hash of the transaction. @throws Error with the reason */
export const sendThroughWallet = async (to: Hex, data: Hex, value: bigint): Promise<Hex> => {
  const provider = await findProvider()
  const from = await accountOf(provider)
  await requireChain(provider)
  const transaction = { from, to, data, value: `0x${value.toString(16)}` }
  const hash = await request(provider, 'eth_sendTransaction', [transaction])
  if (typeof hash !== 'string' || !isHash(hash))
    throw new Error('The wallet gave no hash: look there whether it sent the transaction.')
  return hash as Hex
}
