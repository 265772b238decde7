import type { Address } from '../../bytes/bytes.ts'
import type { Log } from '../../block/receipt.ts'
import type { HaltReason } from '../transaction/result.ts'

/** An instruction before it runs. Valid only during the callback: copy values that are kept. */
export type TraceStep = {
  /** Position in the code, and the opcode there. */
  readonly pc: number
  readonly op: number
  /** Before the instruction. */
  readonly gas: number
  readonly depth: number
  readonly refund: number
  /** The account whose storage the code uses. */
  readonly address: Address
  readonly stackSize: number
  /** Item of the stack by its distance below the top; it must exist. */
  readonly peek: (index: number) => bigint
  /** Bottom first. */
  readonly stack: () => bigint[]
  readonly memorySize: number
  /** A copy; zeros beyond the end of the memory. */
  readonly readMemory: (offset: number, size: number) => Uint8Array
  /** A copy of the whole memory. */
  readonly memory: () => Uint8Array
  readonly returnData: Uint8Array
}

export type TraceCall = {
  /** The name of the opcode; CALL or CREATE for the message of the transaction. */
  readonly kind: 'CALL' | 'CALLCODE' | 'DELEGATECALL' | 'STATICCALL' | 'CREATE' | 'CREATE2'
  readonly depth: number
  /** The account that calls or creates (ADDRESS of the calling frame). */
  readonly from: Address
  /** The account whose code runs, or the contract that is created. */
  readonly to: Address
  /** Wei; for DELEGATECALL the value of the calling frame, for STATICCALL 0. */
  readonly value: bigint
  /** Gas of the callee, including a stipend. */
  readonly gas: number
  /** Gas that stays with the caller; 0 at depth 0. */
  readonly callerGas: number
  /** The input, copied at each access; initialization code for a creation. */
  readonly input: Uint8Array
  readonly inputSize: number
  /** A copy of the first bytes of the input. */
  readonly startOfInput: (size: number) => Uint8Array
  /** The code that runs: the delegate's if the account has one (EIP-7702), empty for a precompile. */
  readonly code: Uint8Array
  readonly isPrecompile: boolean
}

export type TraceResult = {
  readonly depth: number
  /** Gas that returns to the caller. */
  readonly gasLeft: number
  /** Gas after the last instruction; negative by the missing amount, as far as it is known. */
  readonly gasAtEnd: number
  readonly output: Uint8Array
  readonly outcome: 'success' | 'revert' | 'halt'
  readonly halt: HaltReason | undefined
}

/**
 * Observes the execution of a transaction. Without a tracer, tracing costs no time: only stepped programs call `onStep`,
 * and programs are stepped only for a tracer that has it. Calls and creations that cannot begin (too deep, too little
 * balance, a collision) are reported as entered and exited, too.
 */
export type Tracer = {
  readonly onStep?: (step: TraceStep) => void
  readonly onEnter?: (call: TraceCall) => void
  readonly onExit?: (result: TraceResult) => void
  /** Called for each log when it is written, including logs of frames that fail later. */
  readonly onLog?: (log: Log) => void
  readonly onSelfDestruct?: (from: Address, to: Address, wei: bigint) => void
}
