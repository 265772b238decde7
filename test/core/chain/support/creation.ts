import { signTransaction } from '../../../../core/block/codec/signature.ts'
import type { RecoveredTransaction } from '../../../../core/block/transaction.ts'
import { code, type Part } from '../../evm/harness.ts'
import { CHAIN_ID } from './chain.ts'
import type { Key } from './keys.ts'
import { BARE_FIELDS } from '../../../support/chains/bareFields.ts'

/** The first transaction of an account: a creation that runs this code. */
export const signedCreation = (
  from: Key,
  gasLimit: bigint,
  parts: readonly Part[],
): RecoveredTransaction => ({
  sender: from.address,
  transaction: signTransaction(
    {
      type: 2,
      chainId: BigInt(CHAIN_ID),
      nonce: 0n,
      maxPriorityFeePerGas: 10n ** 9n,
      maxFeePerGas: 10n ** 11n,
      gasLimit,
      to: undefined,
      value: 0n,
      data: code(...parts),
      ...BARE_FIELDS,
    },
    from.privateKey,
  ),
})
