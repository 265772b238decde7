import { bytesToBigint, maxBigint } from '../../../core/bytes/integer.ts'
import { toBareHex, toHex } from '../../../core/bytes/hex.ts'
import type { Message } from '../../../core/evm/transaction/execute.ts'
import { floorGas, intrinsicGas } from '../../../core/evm/gas/intrinsic.ts'
import { InvalidTransaction, type TransactionResult } from '../../../core/evm/transaction/result.ts'
import type { Rules } from '../../../core/genesis/configuration.ts'
import { RpcError } from '../errors.ts'

/** Selector of Solidity's `Error(string)`. */
const ERROR_SELECTOR = '08c379a0'
const WORD = 32

/** Selector of Solidity's `Panic(uint256)`, and geth's descriptions of its codes. */
const PANIC_SELECTOR = '4e487b71'
const PANICS: ReadonlyMap<bigint, string> = new Map([
  [0x00n, 'generic panic'],
  [0x01n, 'assert(false)'],
  [0x11n, 'arithmetic underflow or overflow'],
  [0x12n, 'division or modulo by zero'],
  [0x21n, 'enum overflow'],
  [0x22n, 'invalid encoded storage byte array accessed'],
  [0x31n, 'out-of-bounds array access; popping on an empty array'],
  [0x32n, 'out-of-bounds access of an array or bytesN'],
  [0x41n, 'out of memory'],
  [0x51n, 'uninitialized function'],
])

const BROKEN = 'ABI decode error'

const DECODER = new TextDecoder('utf-8', { fatal: true })

/** The reason in revert data; undefined without an `Error(string)`, Besu's text for a malformed one. */
const revertReason = (data: Uint8Array): string | undefined => {
  if (toBareHex(data.subarray(0, 4)) !== ERROR_SELECTOR) return undefined
  const body = data.subarray(4)
  const offset = bytesToBigint(body.subarray(0, WORD))
  if (offset > BigInt(body.length - WORD)) return BROKEN
  const start = Number(offset) + WORD
  const length = bytesToBigint(body.subarray(start - WORD, start))
  if (length > BigInt(body.length - start)) return BROKEN
  try {
    return DECODER.decode(body.subarray(start, start + Number(length)))
  } catch {
    // Not UTF-8.
    return BROKEN
  }
}

/** The text of Solidity's revert data, including panics; undefined where it is unreadable. */
export const revertText = (data: Uint8Array): string | undefined => {
  if (toBareHex(data.subarray(0, 4)) === PANIC_SELECTOR && data.length === 4 + WORD) {
    const code = bytesToBigint(data.subarray(4))
    return PANICS.get(code) ?? `unknown panic code: 0x${code.toString(16)}`
  }
  const reason = revertReason(data)
  return reason === BROKEN ? undefined : reason
}

/** The error of a failed run; undefined for a successful one. */
export const failureOf = ({ failure, output }: TransactionResult): RpcError | undefined => {
  if (failure === undefined) return undefined
  if (failure.kind === 'halt') return new RpcError('EXECUTION_HALTED', { detail: failure.reason })
  const reason = revertReason(output)
  const data = toHex(output)
  return new RpcError('EXECUTION_REVERTED', reason === undefined ? { data } : { data, detail: reason })
}

/** The error for a message that the EVM refuses to execute; any other error is returned unchanged. */
export const invalidMessage = (error: unknown, message: Message, { fork }: Rules): unknown => {
  if (!(error instanceof InvalidTransaction)) return error
  switch (error.code) {
    case 'INTRINSIC_GAS': {
      const needed = maxBigint(intrinsicGas(fork, message), floorGas(fork, message.data))
      return new RpcError('INTRINSIC_GAS', {
        detail: `intrinsic gas cost ${needed} exceeds gas limit ${message.gasLimit}`,
      })
    }
    case 'INSUFFICIENT_FUNDS':
      return new RpcError('UPFRONT_COST', { detail: error.message })
    case 'FEE_BELOW_BASE_FEE':
      return new RpcError('GAS_PRICE_BELOW_BASE_FEE', { detail: error.message })
    default:
      return new RpcError('INVALID_CALL', { detail: error.message, cause: error })
  }
}
