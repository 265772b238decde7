import { type RlpInput, type RlpItem, RlpError, rlpBytes, rlpList } from '../../rlp/rlp.ts'
import type { Withdrawal } from '../block.ts'
import { rlpUint64 } from './scalar.ts'

/** EIP-4895: `[index, validatorIndex, address, amount]`. */
export const withdrawalItem = (withdrawal: Withdrawal): RlpInput => [
  withdrawal.index,
  withdrawal.validatorIndex,
  withdrawal.address,
  withdrawal.amountGwei,
]

/** @throws RlpError */
export const decodeWithdrawalItem = (item: RlpItem): Withdrawal => {
  const items = rlpList(item, 'a withdrawal')
  if (items.length !== 4) throw new RlpError(`a withdrawal has 4 fields, not ${items.length}`)
  return {
    index: rlpUint64(items[0], 'withdrawal index'),
    validatorIndex: rlpUint64(items[1], 'withdrawal validatorIndex'),
    address: rlpBytes(items[2], 'withdrawal address', 20),
    amountGwei: rlpUint64(items[3], 'withdrawal amount'),
  }
}
