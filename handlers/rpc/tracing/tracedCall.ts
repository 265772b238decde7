import type { RpcContext } from '../context.ts'
import type { CallParameters } from '../simulation/callParameters.ts'
import { checkUpfrontCost, prepareCall, runCall } from '../simulation/message.ts'
import type { Budget } from './budget.ts'
import type { Session } from './session.ts'
import type { TracerKind } from './traced.ts'

/** Runs a call in the session's block and returns its trace. @throws RpcError if the call cannot begin */
export const traceCallIn = (
  context: RpcContext,
  session: Session,
  call: CallParameters,
  kind: TracerKind,
  budget: Budget,
): Promise<unknown> => {
  const { world, environment } = session
  const used = budget.used()
  return session.step(() => {
    budget.rewind(used)
    const prepared = prepareCall(context, call, environment)
    checkUpfrontCost(prepared, world)
    const { from, to, gasLimit, authorizationList } = prepared.message
    const tracer = kind(
      { world, environment: prepared.environment, from, to, gasLimit, authorizationList, place: undefined },
      budget,
    )
    return tracer.finish(runCall(prepared, world, tracer.hooks))
  })
}
