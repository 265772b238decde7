import { SELECTOR_LENGTH } from './selectors.ts'
import type { RpcTransaction } from '../rpc/types.ts'
import { decodeCall } from './decode.ts'

/** The name of the function that a transaction calls, or what else it does. */
export const methodNameOf = ({ to, input }: Pick<RpcTransaction, 'to' | 'input'>): string => {
  if (to === null) return 'create'
  if (input === '0x') return 'transfer of ether'
  return decodeCall(to, input)?.name ?? input.slice(0, SELECTOR_LENGTH)
}
