import { toHex } from '../../../core/bytes/hex.ts'
import type { TransactionResult } from '../../../core/evm/transaction/result.ts'
import type { RpcContext } from '../context.ts'
import type { Call } from '../method.ts'
import { settled, withRequiredSelector } from '../parameters/block.ts'
import { given } from '../parameters/values.ts'
import { type SimulationBlock, simulateIn, simulationBlock } from './block.ts'
import { readBlockOverrides, underBlockOverrides } from './blockOverrides.ts'
import { type CallParameters, readCall } from './callParameters.ts'
import { checkUpfrontCost, prepareCall, runCall } from './message.ts'
import { failureOf } from './outcome.ts'
import { withConsole } from './withConsole.ts'
import { readStateOverrides, type StateOverrides } from './stateOverrides.ts'

/**
 * Runs a call in a block and discards its changes. The failure of the call is a result, not an error. @throws RpcError if the
 * call cannot begin
 */
export const simulateCall = (
  context: RpcContext,
  call: CallParameters,
  block: SimulationBlock,
  overrides: StateOverrides = [],
): TransactionResult | Promise<TransactionResult> =>
  simulateIn(context, block, overrides, (world, environment) => {
    const prepared = prepareCall(context, call, environment)
    checkUpfrontCost(prepared, world)
    return withConsole(context, tracer => runCall(prepared, world, tracer))
  })

/** The output of the call. @throws RpcError with the reason of its failure */
const outputOf = (result: TransactionResult): string => {
  const failure = failureOf(result)
  if (failure !== undefined) throw failure
  return toHex(result.output)
}

/**
 * eth_call: the output of a call in a block; its changes are discarded. Null if the block does not exist, as in Besu. Returns
 * a promise only if entries must be loaded.
 */
export const ethCall = ({ params }: Call, context: RpcContext): string | null | Promise<string | null> => {
  const [call, selector] = withRequiredSelector(params, 1, () => readCall(given(params, 0)))
  const overrides = readStateOverrides(given(params, 2))
  const blockOverrides = readBlockOverrides(given(params, 3))
  const callIn = (found: SimulationBlock | undefined): string | null | Promise<string> => {
    if (found === undefined) return null
    const block = underBlockOverrides(context, found, blockOverrides)
    const result = simulateCall(context, call, block, overrides)
    return result instanceof Promise ? result.then(outputOf) : outputOf(result)
  }
  const found = simulationBlock(context, settled(selector))
  return found instanceof Promise ? found.then(callIn) : callIn(found)
}
