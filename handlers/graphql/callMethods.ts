import { toHex, toQuantity } from '../../core/bytes/hex.ts'
import type { RpcContext } from '../rpc/context.ts'
import { type Method, method, type Params } from '../rpc/method.ts'
import { readSelector } from '../rpc/parameters/block.ts'
import { given, required } from '../rpc/parameters/values.ts'
import { type SimulationBlock, simulationBlock } from '../rpc/simulation/block.ts'
import { simulateCall } from '../rpc/simulation/call.ts'
import { readCall } from '../rpc/simulation/callParameters.ts'
import { estimateCall } from '../rpc/simulation/estimate.ts'

const blockOf = async (params: Params, context: RpcContext): Promise<SimulationBlock> => {
  const selector = required(readSelector(params, 1), 'INVALID_BLOCK')
  return required(await simulationBlock(context, selector), 'BLOCK_NOT_FOUND')
}

/**
 * The methods behind the fields `call` and `estimateGas`, as rows of their own so that call workers can run them. No
 * port serves them. Their results are JSON: a CallResult, and a quantity.
 */
export const CALL_METHODS: readonly [call: Method, estimateGas: Method] = [
  // A failed call has status 0, where eth_call answers with an error.
  method({
    name: 'graphql_call',
    summary: 'Runs a call for GraphQL',
    params: { call: 'Call', block: 'BlockNumberOrTagOrHash' },
    result: 'Object',
    handle: async ({ params }, context) => {
      const call = readCall(given(params, 0))
      const result = await simulateCall(context, call, await blockOf(params, context))
      return {
        data: toHex(result.output),
        gasUsed: toQuantity(result.gasUsed),
        status: result.success ? '0x1' : '0x0',
      }
    },
    offload: 'long',
  }),
  method({
    name: 'graphql_estimateGas',
    summary: 'Estimates the gas of a call for GraphQL',
    params: { call: 'Call', block: 'BlockNumberOrTagOrHash' },
    result: 'Quantity',
    handle: async ({ params }, context) => {
      const call = readCall(given(params, 0))
      return toQuantity(await estimateCall(context, call, await blockOf(params, context), [], 'exact'))
    },
    offload: 'long',
  }),
]
