import { toQuantity } from '../../../core/bytes/hex.ts'
import { valueOf } from '../../rpc/dispatch/envelope.ts'
import { RpcError } from '../../rpc/errors.ts'
import type { Method } from '../../rpc/method.ts'
import { CALL_METHODS } from '../callMethods.ts'
import type { RequestScope } from '../context.ts'
import { FetchError } from '../errors.ts'

/** The schema's CallData: integers as bigints, bytes and addresses as hex. */
export type CallData = Readonly<Record<string, bigint | string | null | undefined>>

const [CALL, ESTIMATE_GAS] = CALL_METHODS

const parameterOf = (data: CallData): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(data).map(([name, value]) => [
      name,
      typeof value === 'bigint' ? toQuantity(value) : value,
    ]),
  )

const run = async (
  { runner, expired }: RequestScope,
  row: Method,
  number: bigint,
  data: CallData,
): Promise<unknown> => {
  if (expired()) throw new RpcError('TIMEOUT')
  const outcome = await runner().run(row, { params: [parameterOf(data), toQuantity(number)], expired })
  if ('error' in outcome) throw new FetchError(outcome.error.message, outcome.error.code)
  return valueOf(outcome)
}

/** A CallResult; a failed call has status 0. @throws FetchError when it cannot begin */
export const call = (scope: RequestScope, number: bigint, data: CallData): Promise<unknown> =>
  run(scope, CALL, number, data)

/**
 * A gas limit with which the call succeeds: the gas used where that suffices. @throws FetchError where no limit
 * suffices
 */
export const estimateGas = (scope: RequestScope, number: bigint, data: CallData): Promise<unknown> =>
  run(scope, ESTIMATE_GAS, number, data)
