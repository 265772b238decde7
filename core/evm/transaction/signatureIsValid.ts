import type { Transaction } from '../../block/transaction.ts'
import { HALF_ORDER, SECP256K1_ORDER } from '../../crypto/recovery.ts'
import type { Rules } from '../../genesis/configuration.ts'
import { forkIsAtLeast } from '../../genesis/fork.ts'

/** r and s within [1, order), and s in the lower half from Homestead on (EIP-2). */
export const signatureIsValid = (
  transaction: Pick<Transaction, 'r' | 's'>,
  rules: Pick<Rules, 'fork'>,
): boolean => {
  const { r, s } = transaction
  if (r === 0n || s === 0n || r >= SECP256K1_ORDER || s >= SECP256K1_ORDER) return false
  return s <= HALF_ORDER || !forkIsAtLeast(rules.fork, 'homestead')
}
