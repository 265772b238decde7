import { type Address, ZERO_ADDRESS } from '../../bytes/bytes.ts'
import { minBigint } from '../../bytes/integer.ts'
import type { BlockEnvironment } from '../../evm/transaction/environment.ts'
import { callMessage } from '../../evm/transaction/execute.ts'
import type { StateReader } from '../../state/account.ts'
import { createWorldState } from '../../state/worldState.ts'

/** Besu's default for calls; a validator contract that needs more would fail there, too. */
const VALIDATOR_CALL_GAS_MAX = 100_000_000n

type ContractCallResult =
  | { readonly success: true; readonly output: Uint8Array }
  | { readonly success: false; readonly reason: string }

export type ContractCall = {
  readonly contract: Address
  readonly data: Uint8Array
  readonly gasLimit: bigint
}

/** Calls a contract on the state after a block: from the zero address, without value or fees. */
export const callContractAt = (
  environment: BlockEnvironment,
  reader: StateReader,
  { contract, data, gasLimit }: ContractCall,
): ContractCallResult => {
  const message = {
    from: ZERO_ADDRESS,
    to: contract,
    gasLimit,
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

/** Calls the validator contract on the state after a block. */
export const callValidatorContract = (
  environment: BlockEnvironment,
  reader: StateReader,
  contract: Address,
  data: Uint8Array,
): ContractCallResult =>
  callContractAt(environment, reader, {
    contract,
    data,
    gasLimit: minBigint(environment.gasLimit, VALIDATOR_CALL_GAS_MAX),
  })
