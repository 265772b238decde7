import type { Address } from '../bytes/bytes.ts'
import type { Log } from '../chain/receipt.ts'
import type { HaltReason } from './result.ts'

/** What a tracer is told; everything holds during the callback only, copy what is to be kept. */
export type TraceStep = {
  /** Position in the code, and the opcode there. */
  readonly pc: number
  readonly op: number
  /** Before the instruction. */
  readonly gas: number
  readonly depth: number
  readonly refund: number
  readonly address: Address
  /** Bottom first. */
  readonly stack: () => bigint[]
  readonly memory: () => Uint8Array
  readonly returnData: Uint8Array
}

export type TraceCall = {
  /** CREATE2 and CREATE of a contract, the four calls, SELFDESTRUCT as in the opcodes' names. */
  readonly kind: 'CALL' | 'CALLCODE' | 'DELEGATECALL' | 'STATICCALL' | 'CREATE' | 'CREATE2'
  readonly depth: number
  readonly from: Address
  readonly to: Address
  readonly value: bigint
  readonly gas: number
  readonly input: Uint8Array
}

type TraceResult = {
  readonly depth: number
  readonly gasLeft: number
  readonly output: Uint8Array
  readonly outcome: 'success' | 'revert' | 'halt'
  readonly halt: HaltReason | undefined
}

/** Watches a transaction run. Without one nothing is spent on it: only stepped programs have places that call it. */
export type Tracer = {
  readonly onStep?: (step: TraceStep) => void
  readonly onEnter?: (call: TraceCall) => void
  readonly onExit?: (result: TraceResult) => void
  /** Each log as it is written; those of frames that fail later are told of too. */
  readonly onLog?: (log: Log) => void
  readonly onSelfDestruct?: (from: Address, to: Address, wei: bigint) => void
}
