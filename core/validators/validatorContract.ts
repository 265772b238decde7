import { type Address, compareBytes } from '../bytes/bytes.ts'
import { bytesToBigint } from '../bytes/integer.ts'

/** Call data of `getValidators()`: the first four bytes of the keccak of its signature. */
export const GET_VALIDATORS_CALL_DATA: Uint8Array = Uint8Array.of(0xb7, 0xab, 0x4d, 0xb5)

/** The result of a contract call; undefined when the block or its state is missing. */
export type ValidatorCallResult =
  | { readonly success: true; readonly output: Uint8Array }
  | { readonly success: false; readonly reason: string }
  | undefined

const WORD_BYTES = 32

/** The word at `offset` as an offset or length within `output`; undefined when it points outside. */
const sizeAt = (output: Uint8Array, offset: number): number | undefined => {
  if (offset + WORD_BYTES > output.length) return undefined
  const value = bytesToBigint(output.subarray(offset, offset + WORD_BYTES))
  return value > BigInt(output.length) ? undefined : Number(value)
}

/**
 * The addresses in the ABI encoding of an `address[]`, ascending; duplicates stay. Upper bytes of a word and bytes after
 * the array are ignored, as in Besu's decoder.
 * @throws ValidatorContractError
 */
export const decodeValidators = (output: Uint8Array): readonly Address[] => {
  if (output.length === 0)
    throw new ValidatorContractError(
      'EMPTY_RESULT',
      'Unexpected empty result from validator smart contract call',
    )
  const start = sizeAt(output, 0)
  const count = start === undefined ? undefined : sizeAt(output, start)
  if (start === undefined || count === undefined || start + WORD_BYTES * (1 + count) > output.length)
    throw new ValidatorContractError(
      'INVALID_RESULT',
      'Unexpected result from validator smart contract call: getValidators() must return address[]',
    )
  const validators = Array.from({ length: count }, (_, index) => {
    const end = start + WORD_BYTES * (2 + index)
    return output.slice(end - 20, end)
  })
  return validators.sort(compareBytes)
}

/**
 * The validators that the contract returns after a block, ascending. `call` runs `data` against `contract` from the zero
 * address, without value or fees, on the state after that block.
 * @throws ValidatorContractError; nothing is skipped, so a failing contract stops the chain.
 */
export const contractValidators = (
  contract: Address | undefined,
  call: (contract: Address, data: Uint8Array) => ValidatorCallResult,
): readonly Address[] => {
  if (contract === undefined)
    throw new ValidatorContractError(
      'NO_ADDRESS',
      'Error resolving smart contract address unable to make validator contract call',
    )
  const result = call(contract, GET_VALIDATORS_CALL_DATA)
  if (result === undefined)
    throw new ValidatorContractError('CALL_FAILED', 'Failed validator smart contract call')
  if (!result.success)
    throw new ValidatorContractError('CALL_FAILED', `Failed validator smart contract call: ${result.reason}`)
  return decodeValidators(result.output)
}

/** The validators cannot be read from their contract; the texts are Besu's. */
export class ValidatorContractError extends Error {
  override readonly name = 'ValidatorContractError'
  readonly code: 'NO_ADDRESS' | 'CALL_FAILED' | 'EMPTY_RESULT' | 'INVALID_RESULT'
  constructor(code: ValidatorContractError['code'], message: string) {
    super(message)
    this.code = code
  }
}
