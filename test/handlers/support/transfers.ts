import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { ACCOUNTS } from './testNode.ts'

type Account = (typeof ACCOUNTS)[number]

/** Has money on the chain of the tests. */
export const SENDER: PrivateKeyAccount = privateKeyToAccount((ACCOUNTS[0] as Account).privateKey)
export const RECIPIENT: Account['address'] = (ACCOUNTS[1] as Account).address

/** A signed transfer of one wei; `more` in place of what it has otherwise. */
export const transfer = (nonce: number, more: object = {}, from = SENDER): Promise<`0x${string}`> =>
  from.signTransaction({
    type: 'eip1559',
    chainId: 1337,
    nonce,
    gas: 21_000n,
    maxFeePerGas: 2_000_000_000n,
    maxPriorityFeePerGas: 1n,
    to: RECIPIENT,
    value: 1n,
    ...more,
  })
