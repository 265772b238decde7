import type { Address } from '../../bytes/bytes.ts'
import type { Log } from '../../block/receipt.ts'
import type { HaltReason } from '../transaction/result.ts'

/** What a tracer is told; everything holds during the callback only, copy what is to be kept. */
export type TraceStep = {
  /** Position in the code, and the opcode there. */
  readonly pc: number
  readonly op: number
  /** Before the instruction. */
  readonly gas: number
  readonly depth: number
  readonly refund: number
  /** Whose storage the code works on. */
  readonly address: Address
  readonly stackSize: number
  /** Item of the stack, 0 being the top; it must be there. */
  readonly peek: (index: number) => bigint
  /** Bottom first. */
  readonly stack: () => bigint[]
  readonly memorySize: number
  /** A copy; zeros beyond the end of the memory. */
  readonly readMemory: (offset: number, size: number) => Uint8Array
  /** A copy of all. */
  readonly memory: () => Uint8Array
  readonly returnData: Uint8Array
}

export type TraceCall = {
  /** As the opcode is named; CALL and CREATE for what the transaction itself does. */
  readonly kind: 'CALL' | 'CALLCODE' | 'DELEGATECALL' | 'STATICCALL' | 'CREATE' | 'CREATE2'
  readonly depth: number
  /** The account that calls or creates: whose code does where that works on its own storage. */
  readonly from: Address
  /** Whose code runs, or the contract that is made. */
  readonly to: Address
  /** Wei; that of the caller for DELEGATECALL, 0 for STATICCALL. */
  readonly value: bigint
  /** What the callee has, a stipend included. */
  readonly gas: number
  /** What stays with the caller meanwhile; 0 at depth 0. */
  readonly callerGas: number
  /** A copy, made whenever it is asked for; initialization code for a creation. */
  readonly input: Uint8Array
  readonly inputSize: number
  /** A copy of the first bytes of it. */
  readonly startOfInput: (size: number) => Uint8Array
  /** What runs: that of the delegate where the account has one (EIP-7702), empty for a precompile. */
  readonly code: Uint8Array
  readonly isPrecompile: boolean
}

export type TraceResult = {
  readonly depth: number
  /** What goes back to the caller. */
  readonly gasLeft: number
  /** After the last instruction; negative by as much as it lacked, as far as that is known. */
  readonly gasAtEnd: number
  readonly output: Uint8Array
  readonly outcome: 'success' | 'revert' | 'halt'
  readonly halt: HaltReason | undefined
}

/**
 * Watches a transaction run. Without one nothing is spent on it: only stepped programs have places that call `onStep`, and
 * only a tracer that has one makes programs be stepped. Calls and creations that cannot begin (too deep, too little money,
 * a collision) are told of as begun and ended too.
 */
export type Tracer = {
  readonly onStep?: (step: TraceStep) => void
  readonly onEnter?: (call: TraceCall) => void
  readonly onExit?: (result: TraceResult) => void
  /** Each log as it is written; those of frames that fail later are told of too. */
  readonly onLog?: (log: Log) => void
  readonly onSelfDestruct?: (from: Address, to: Address, wei: bigint) => void
}
