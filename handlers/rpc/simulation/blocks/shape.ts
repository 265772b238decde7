import { toHex, toQuantity } from '../../../../core/bytes/hex.ts'
import { type HaltReason, isInvalidOpcode } from '../../../../core/evm/transaction/result.ts'
import { type RpcErrorObject, RPC_ERRORS } from '../../errors.ts'
import { blockShape } from '../../shapes/block.ts'
import { receiptLogShape } from '../../shapes/receipt.ts'
import { revertText } from '../outcome.ts'
import type { SimulatedBlock, SimulatedCall } from './execute.ts'

type Json = Record<string, unknown>

/**
 * geth's texts for halts, as in the examples of the execution-apis. A client's call is not static, so only a creation
 * at an address in use changes state illegally.
 */
const HALT_TEXTS: Readonly<Partial<Record<HaltReason, string>>> = {
  'Out of gas': 'out of gas',
  'Stack underflow': 'stack underflow',
  'Out of stack': 'stack limit reached',
  'Bad jump destination': 'invalid jump destination',
  'Out of bounds': 'return data out of bounds',
  'Illegal state change': 'contract address collision',
  'Code is too large': 'max code size exceeded',
  'Code is invalid': 'invalid code: must not begin with 0xef',
  'Precompile error': 'precompile failed',
}

const haltText = (reason: HaltReason): string =>
  isInvalidOpcode(reason) ? 'invalid opcode' : (HALT_TEXTS[reason] ?? reason)

const errorOf = ({ result: { failure, output } }: SimulatedCall): RpcErrorObject | undefined => {
  if (failure === undefined) return undefined
  if (failure.kind === 'halt')
    return {
      code: RPC_ERRORS.SIMULATED_CALL_HALTED.code,
      message: haltText(failure.reason),
    }
  const reason = revertText(output)
  return {
    code: RPC_ERRORS.EXECUTION_REVERTED.code,
    message: `execution reverted${reason === undefined ? '' : `: ${reason}`}`,
    data: toHex(output),
  }
}

const callShape = (call: SimulatedCall, logs: readonly Json[]): Json => {
  const { result } = call
  const error = errorOf(call)
  return {
    status: result.success ? '0x1' : '0x0',
    returnData: result.success ? toHex(result.output) : '0x',
    gasUsed: toQuantity(result.gasUsed),
    maxUsedGas: toQuantity(result.gasUsedMax),
    logs,
    ...(error === undefined ? {} : { error }),
  }
}

/** An unsigned legacy transaction has 0 for `v`, unlike any signed one. */
const unsigned = (transaction: unknown): unknown =>
  typeof transaction === 'string' ? transaction : { ...(transaction as Json), v: '0x0' }

/** A simulated block with its calls; its members are in alphabetical order. */
export const simulatedShape = ({ record, calls }: SimulatedBlock, fullTransactions: boolean): Json => {
  const shape = blockShape(record, { fullTransactions, totalDifficulty: false })
  const callShapes = calls.map((call, transactionIndex) =>
    callShape(
      call,
      call.logs.map(({ log, index }) => receiptLogShape(log, { record, transactionIndex, logIndex: index })),
    ),
  )
  const transactions = (shape['transactions'] as readonly unknown[]).map(unsigned)
  const all = { ...shape, transactions, calls: callShapes }
  return Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)))
}
