import { JsonRpcProvider, Wallet } from 'ethers'
import { toHex } from '../../core/bytes/hex.ts'
import { DEVELOPMENT_ACCOUNTS, type DevelopmentAccount } from '../../core/genesis/development/accounts.ts'
import { clientsOf } from '../runtime/transactions.ts'
import { foundryProgram } from '../support/programs/foundry.ts'
import { runProgram } from '../support/programs/runProgram.ts'
import { privateKeyOf } from './contract.ts'
import { startPython } from './python/run.ts'

export type Client = 'viem' | 'ethers' | 'cast' | 'web3.py'

type Repeats = {
  readonly url: string
  readonly chainId: number
  /** Nonce of the first. */
  readonly first: number
  readonly count: number
}

/** Who gets the transfers. */
const TO = toHex((DEVELOPMENT_ACCOUNTS[9] as DevelopmentAccount).address) as `0x${string}`

const castSend = async (url: string, key: string, nonce: number): Promise<string> => {
  const options = [`--rpc-url=${url}`, `--private-key=${key}`, '--async', `--nonce=${nonce}`]
  const out = await runProgram([foundryProgram('cast'), 'send', TO, '--value=1', ...options], import.meta.dir)
  return out.trim()
}

/** One process for all chains. */
let python: ReturnType<typeof startPython> | undefined

/**
 * Sends transfers in a row with an unmodified client and its own default fees, each client from an account of its own; gives
 * their hashes. None waits for the receipt of the one before.
 */
export const REPEATS: Readonly<Record<Client, (asked: Repeats) => Promise<readonly string[]>>> = {
  viem: async ({ url, chainId, count }) => {
    const { wallet } = clientsOf(url, chainId, 0)
    const hashes: string[] = []
    for (let index = 0; index < count; index++)
      hashes.push(await wallet.sendTransaction({ to: TO, value: 1n }))
    return hashes
  },
  ethers: async ({ url, first, count }) => {
    const provider = new JsonRpcProvider(url)
    const wallet = new Wallet(privateKeyOf(1), provider)
    const hashes: string[] = []
    // It keeps answers for 250 ms, nonces too: who sends faster counts.
    for (let nonce = first; nonce < first + count; nonce++)
      hashes.push((await wallet.sendTransaction({ to: TO, value: 1n, nonce })).hash)
    provider.destroy()
    return hashes
  },
  cast: async ({ url, first, count }) => {
    const hashes: string[] = []
    for (let index = 0; index < count; index++)
      hashes.push(await castSend(url, privateKeyOf(2), first + index))
    return hashes
  },
  'web3.py': async ({ url, count }) => {
    python ??= startPython('repeats.py')
    return (await python({ url, key: privateKeyOf(3), to: TO, count })) as readonly string[]
  },
}
