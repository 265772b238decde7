import type { AccountState } from '../../state/accountState.ts'
import type { ExecutionState } from '../../state/executionState.ts'
import { accountOfLimbs, warmAccount } from '../../state/executionState.ts'
import type { Context, Frame } from '../frames/frame.ts'
import { precompileAt } from '../precompiles/precompiles.ts'
import { highOf, limbs, lowOf, numbers } from '../interpreter/stack.ts'

/** EIP-2929. */
export const COLD_ACCOUNT_GAS = 2600
export const WARM_GAS = 100

/** The account whose address is the low 160 bits of a stack item. */
export const accountAt = (state: ExecutionState, i: number): AccountState => {
  const n = numbers[i]!
  if (n === n) return accountOfLimbs(state, lowOf(n), highOf(n), 0, 0, 0)
  const at = i << 3
  return accountOfLimbs(state, limbs[at]!, limbs[at + 1]!, limbs[at + 2]!, limbs[at + 3]!, limbs[at + 4]!)
}

/** Warms an account for the transaction; true when it was warm before, as precompiles always are (EIP-2929). */
export const accessAccount = (context: Context, account: AccountState): boolean =>
  account.warmTx === context.state.tx ||
  precompileAt(context.schedule.fork, account.address) !== undefined ||
  warmAccount(context.state, account)

/** Charges for the access to an account, from Berlin on. Returns the gas left. */
export const chargeAccess = (frame: Frame, account: AccountState, gas: number): number => {
  if (!frame.context.schedule.eip2929) return gas
  return gas - (accessAccount(frame.context, account) ? WARM_GAS : COLD_ACCOUNT_GAS)
}
