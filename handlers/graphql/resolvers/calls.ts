import { toQuantity } from '../../../core/bytes/hex.ts'
import { RpcError } from '../../rpc/errors.ts'
import type { BlockSelector } from '../../rpc/parameters/block.ts'
import { type SimulationBlock, simulationBlock } from '../../rpc/simulation/block.ts'
import { simulateCall } from '../../rpc/simulation/call.ts'
import { type CallParameters, readCall } from '../../rpc/simulation/callParameters.ts'
import { estimateCall } from '../../rpc/simulation/estimate.ts'
import type { RequestScope } from '../context.ts'

/** The schema's CallData: integers as bigints, bytes and addresses as hex. */
export type CallData = Readonly<Record<string, bigint | string | null | undefined>>

/** As in Besu the sender need not be able to pay. */
const parametersOf = (data: CallData): CallParameters =>
  readCall({
    ...Object.fromEntries(
      Object.entries(data).map(([name, value]) => [
        name,
        typeof value === 'bigint' ? toQuantity(value) : value,
      ]),
    ),
    strict: false,
  })

const blockOf = async (scope: RequestScope, selector: BlockSelector): Promise<SimulationBlock> => {
  if (scope.expired()) throw new RpcError('TIMEOUT')
  const block = await simulationBlock(scope.rpc, selector)
  if (block === undefined) throw new RpcError('BLOCK_NOT_FOUND')
  return block
}

/** A CallResult; a call that fails has status 0. @throws RpcError when it cannot even begin */
export const call = async (
  scope: RequestScope,
  selector: BlockSelector,
  data: CallData,
): Promise<Readonly<Record<string, unknown>>> => {
  const block = await blockOf(scope, selector)
  const { output, gasUsed, success } = await simulateCall(scope.rpc, parametersOf(data), block)
  return { data: output, gasUsed, status: success ? 1n : 0n }
}

/** A gas limit with which the call succeeds, the gas it uses where that suffices. @throws RpcError */
export const estimateGas = async (
  scope: RequestScope,
  selector: BlockSelector,
  data: CallData,
): Promise<bigint> => {
  const block = await blockOf(scope, selector)
  return await estimateCall(scope.rpc, parametersOf(data), block, [], 'exact')
}
