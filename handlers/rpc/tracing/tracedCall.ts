import { minBigint } from '../../../core/bytes/integer.ts'
import type { RpcContext } from '../context.ts'
import type { CallParameters } from '../simulation/callParameters.ts'
import {
  checkNonce,
  checkUpfrontCost,
  prepareCall,
  type PreparedCall,
  runCall,
  upfrontCostOf,
} from '../simulation/message.ts'
import type { Budget } from './budget.ts'
import type { Session } from './session.ts'
import type { TracerKind } from './traced.ts'

/**
 * A sender that need not be able to pay gets what it lacks before the trace begins, so that traces show what it has and not
 * all the wei there can be.
 */
const withFunds = (prepared: PreparedCall, { world }: Session): PreparedCall => {
  const { message, checkBalance } = prepared
  if (checkBalance) return prepared
  const cost = upfrontCostOf(message)
  if (minBigint(cost, world.balance(message.from)) < cost) world.setBalance(message.from, cost)
  return { ...prepared, checkBalance: true }
}

/** Runs a call in the session's block and gives its trace. @throws RpcError when the call cannot even begin */
export const traceCallIn = (
  context: RpcContext,
  session: Session,
  call: CallParameters,
  kind: TracerKind,
  budget: Budget,
): Promise<unknown> => {
  const { world, environment } = session
  const spent = budget.spent()
  return session.step(() => {
    budget.rewind(spent)
    const prepared = prepareCall(context, call, environment, undefined)
    checkNonce(call.nonce, call.from, world)
    checkUpfrontCost(prepared, world)
    const funded = withFunds(prepared, session)
    const { from, to, gasLimit, authorizationList } = funded.message
    const { environment: seen } = funded
    const watching = kind(
      { world, environment: seen, from, to, gasLimit, authorizationList, place: undefined },
      budget,
    )
    return watching.finish(runCall(funded, world, watching.hooks))
  })
}
