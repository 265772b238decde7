import { toQuantity } from '../../../core/bytes/hex.ts'
import { minBigint } from '../../../core/bytes/integer.ts'
import type { Tracer } from '../../../core/evm/interpreter/tracer.ts'
import type { TransactionResult } from '../../../core/evm/transaction/result.ts'
import type { WorldState } from '../../../core/state/world.ts'
import type { RpcContext } from '../context.ts'
import { RpcError } from '../errors.ts'
import type { Call } from '../method.ts'
import { type SimulationBlock, simulateIn } from './block.ts'
import type { CallParameters } from './callParameters.ts'
import { checkUpfrontCost, prepareCall, type PreparedCall, runCall } from './message.ts'
import { readNextCall } from './nextCall.ts'
import { failureOf } from './outcome.ts'
import { searchGasLimit } from './search.ts'
import type { StateOverrides } from './stateOverrides.ts'
import { withConsole } from './withConsole.ts'

/** Gas of a plain transfer, the minimum of any transaction. */
const TRANSFER_GAS = 21_000n

const isPlainTransfer = (
  { to, data, accessList, authorizationList, blobVersionedHashes }: CallParameters,
  world: WorldState,
): boolean =>
  to !== undefined &&
  data.length === 0 &&
  accessList.length === 0 &&
  authorizationList === undefined &&
  blobVersionedHashes === undefined &&
  world.code(to).length === 0

/** The highest gas limit that a transaction may have and the sender can pay. */
const highestGas = ({ message, environment }: PreparedCall, world: WorldState): bigint => {
  const allowed = minBigint(message.gasLimit, environment.rules.transactionGasMax ?? message.gasLimit)
  if (message.maxFeePerGas === 0n) return allowed
  const available = world.balance(message.from) - message.value
  return available < 0n ? allowed : minBigint(allowed, available / message.maxFeePerGas)
}

/** `exact` returns the gas used if that suffices, as Besu's GraphQL does; `search` is Besu's eth_estimateGas. */
type EstimateAim = 'exact' | 'search'

const estimateIn = (
  context: RpcContext,
  call: CallParameters,
  prepared: PreparedCall,
  world: WorldState,
  aim: EstimateAim,
): bigint => {
  const startMs = context.nowMs()
  const start = world.snapshot()
  const run = (gasLimit: bigint, tracer?: Tracer): TransactionResult => {
    // The search is synchronous, so it reads the clock itself.
    if (context.nowMs() - startMs > context.options.timeoutMs) throw new RpcError('TIMEOUT')
    world.revert(start)
    return runCall({ ...prepared, message: { ...prepared.message, gasLimit } }, world, tracer)
  }
  const succeeds = (gasLimit: bigint): boolean => {
    try {
      return run(gasLimit).success
    } catch (error) {
      if (error instanceof RpcError && error.code === 'INTRINSIC_GAS') return false
      throw error
    }
  }
  const highest = highestGas(prepared, world)
  if (highest < TRANSFER_GAS) checkUpfrontCost(prepared, world)
  else checkUpfrontCost({ ...prepared, message: { ...prepared.message, gasLimit: highest } }, world)
  if (isPlainTransfer(call, world) && run(TRANSFER_GAS).success) return TRANSFER_GAS
  const first = withConsole(context, tracer => run(highest, tracer))
  const failure = failureOf(first)
  if (failure !== undefined) throw failure
  if (aim === 'exact' && succeeds(first.gasUsed)) return first.gasUsed
  return searchGasLimit(
    highest,
    { succeeds: true, gasUsed: first.gasUsed, gasUsedMax: first.gasUsedMax },
    context.options.estimateGasToleranceRatio,
    gasLimit => ({ succeeds: succeeds(gasLimit) }),
  )
}

/**
 * A gas limit with which the call succeeds in the block. The gas member of the call is not an upper bound, as in Besu:
 * clients repeat the limit of an earlier transaction. @throws RpcError if no limit suffices
 */
export const estimateCall = async (
  context: RpcContext,
  call: CallParameters,
  block: SimulationBlock,
  overrides: StateOverrides,
  aim: EstimateAim,
): Promise<bigint> => {
  return await simulateIn(context, block, overrides, (world, environment) => {
    const prepared = prepareCall(context, { ...call, gas: undefined }, environment)
    return estimateIn(context, call, prepared, world, aim)
  })
}

/** eth_estimateGas: a gas limit with which the call succeeds in the next block, or in a given one. */
export const estimateGas = async ({ params }: Call, context: RpcContext): Promise<string> => {
  const { call, block, overrides } = await readNextCall(params, context)
  return toQuantity(await estimateCall(context, call, block, overrides, 'search'))
}
