import type { RpcContext } from '../context.ts'
import type { Params } from '../method.ts'
import { PENDING, readSelector } from '../parameters/block.ts'
import { given, required } from '../parameters/values.ts'
import { type SimulationBlock, simulationBlock } from './block.ts'
import { readBlockOverrides, underBlockOverrides } from './blockOverrides.ts'
import { type CallParameters, readCall } from './callParameters.ts'
import { readStateOverrides, type StateOverrides } from './stateOverrides.ts'

/** A call, its block, and the overrides. */
export type NextCall = {
  readonly call: CallParameters
  readonly block: SimulationBlock
  readonly overrides: StateOverrides
}

/**
 * Parameters of the methods that prepare a transaction: call, block (the next one by default), overrides of state and
 * block. @throws RpcError
 */
export const readNextCall = async (params: Params, context: RpcContext): Promise<NextCall> => {
  const call = readCall(given(params, 0))
  const selector = readSelector(params, 1) ?? PENDING
  const overrides = readStateOverrides(given(params, 2))
  const blockOverrides = readBlockOverrides(given(params, 3))
  const found = required(await simulationBlock(context, selector), 'BLOCK_NOT_FOUND')
  return { call, block: underBlockOverrides(context, found, blockOverrides), overrides }
}
