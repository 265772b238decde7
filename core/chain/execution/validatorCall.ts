import { type Address, ZERO_ADDRESS } from '../../bytes/bytes.ts'
import { minBigint } from '../../bytes/integer.ts'
import type { BlockEnvironment } from '../../evm/transaction/environment.ts'
import { callMessage } from '../../evm/transaction/execute.ts'
import type { StateReader } from '../../state/account.ts'
import { createWorldState } from '../../state/worldState.ts'
import type { ValidatorCallResult } from '../../validators/validatorContract.ts'

/** Besu's default for calls; a contract that needs more would fail there, too. */
const GAS_MAX = 100_000_000n

/** Calls the validator contract on the state after a block: from the zero address, without value or fees. */
export const callValidatorContract = (
  environment: BlockEnvironment,
  reader: StateReader,
  contract: Address,
  data: Uint8Array,
): ValidatorCallResult => {
  const message = {
    from: ZERO_ADDRESS,
    to: contract,
    gasLimit: minBigint(environment.gasLimit, GAS_MAX),
    value: 0n,
    data,
    maxFeePerGas: 0n,
    maxPriorityFeePerGas: 0n,
    accessList: [],
    maxFeePerBlobGas: 0n,
    blobVersionedHashes: [],
    authorizationList: [],
  }
  const result = callMessage(environment, createWorldState(reader), message)
  if (result.success) return { success: true, output: result.output }
  const { failure } = result
  return { success: false, reason: failure?.kind === 'halt' ? failure.reason : 'Execution reverted' }
}
