import { SLOAD, SSTORE } from '../../../core/evm/interpreter/opcodeBytes.ts'
import { fromHex, toHex } from '../../../core/bytes/hex.ts'
import { bigintToFixedBytes } from '../../../core/bytes/integer.ts'
import type { TraceStep } from '../../../core/evm/interpreter/tracer.ts'
import type { Budget } from './budget.ts'
import { withTransactionGas } from './callTracer.ts'
import { collectCalls } from './calls.ts'
import { addressText, erc7562Shape, type FrameAccesses, newFrame, preimagesShape } from './erc7562Frame.ts'
import { joinHooks, type Traced, type TracerKind } from './traced.ts'

export type Erc7562Options = { readonly withLog: boolean; readonly ignoredOpcodes: ReadonlySet<number> }

const ISZERO = 0x15
const KECCAK256 = 0x20
const EXTCODESIZE = 0x3b
const EXTCODECOPY = 0x3c
const EXTCODEHASH = 0x3f
const GAS = 0x5a
const TLOAD = 0x5c
const TSTORE = 0x5d
const RETURN = 0xf3
const REVERT = 0xfd
const READS_CODE: ReadonlySet<number> = new Set([EXTCODESIZE, EXTCODECOPY, EXTCODEHASH])
/** CALL, CALLCODE, DELEGATECALL, STATICCALL. */
const CALLS: ReadonlySet<number> = new Set([0xf1, 0xf2, 0xf4, 0xfa])

const range = (first: number, last: number): readonly number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)

/**
 * Opcodes that are not counted by default, as in go-ethereum: PUSH0 to SWAP16, POP, and ADD, MUL, SUB, DIV, LT, GT, SLT, SGT,
 * EQ, ISZERO, AND, OR, NOT, SHL, SHR.
 */
export const IGNORED_OPCODES: ReadonlySet<number> = new Set([
  ...range(0x5f, 0x9f),
  ...range(0x01, 0x04),
  ...range(0x10, 0x17),
  0x19,
  0x1b,
  0x1c,
  0x50,
])

/** Bytes of a preimage beyond the memory, with zeros: an instruction that hashes more of them cannot pay for it. */
const PADDING_BYTES_MAX = 1024 * 1024

const SLOT_BYTES = 140
const ACCOUNT_BYTES = 90
const OPCODE_BYTES = 12

type Collection = {
  readonly options: Erc7562Options
  readonly traced: Traced
  readonly budget: Budget
  readonly preimages: Set<string>
  readonly open: FrameAccesses[]
  /** The instruction before this one, in whatever frame; undefined after RETURN and REVERT. */
  last: { readonly op: number; readonly top: bigint | undefined } | undefined
}

const count = <Key>({ budget }: Collection, counts: Map<Key, number>, key: Key, bytes: number): void => {
  const before = counts.get(key) ?? 0
  if (before === 0) budget.add(bytes)
  counts.set(key, before + 1)
}

/** A read of the code's size to compare it with zero is permitted; any other access to code is recorded (OP-051). */
const noteCodeRead = ({ last, budget }: Collection, frame: FrameAccesses, op: number): void => {
  if (last === undefined || last.top === undefined || !READS_CODE.has(last.op)) return
  if (last.op === EXTCODESIZE && op === ISZERO) return
  budget.add(ACCOUNT_BYTES)
  frame.codeReads.push(addressText(last.top))
}

/** OP-041: the accounts that are called or whose code is read must have code. */
const noteSize = (
  { traced, budget }: Collection,
  frame: FrameAccesses,
  { op, peek, stackSize }: TraceStep,
): void => {
  const isCall = CALLS.has(op)
  if (!isCall && !READS_CODE.has(op)) return
  const position = isCall ? 1 : 0
  if (stackSize <= position) return
  const address = addressText(peek(position))
  if (frame.sizes.has(address)) return
  budget.add(ACCOUNT_BYTES)
  frame.sizes.set(address, { contractSize: traced.world.code(fromHex(address)).length, opcode: op })
}

/** GAS counts unless a call follows at once (OP-012). */
const noteOpcode = (collection: Collection, frame: FrameAccesses, op: number): void => {
  const { last, options } = collection
  if (last?.op === GAS && !CALLS.has(op)) count(collection, frame.opcodes, GAS, OPCODE_BYTES)
  if (op !== GAS && !options.ignoredOpcodes.has(op)) count(collection, frame.opcodes, op, OPCODE_BYTES)
}

const noteSlot = (
  collection: Collection,
  frame: FrameAccesses,
  { op, peek, stackSize, address }: TraceStep,
): void => {
  if ((op !== SLOAD && op !== SSTORE && op !== TLOAD && op !== TSTORE) || stackSize === 0) return
  const bytes = bigintToFixedBytes(peek(0), 32)
  const slot = toHex(bytes)
  if (op === SSTORE) return count(collection, frame.writes, slot, SLOT_BYTES)
  if (op === TLOAD) return count(collection, frame.transientReads, slot, SLOT_BYTES)
  if (op === TSTORE) return count(collection, frame.transientWrites, slot, SLOT_BYTES)
  if (frame.reads.has(slot) || frame.writes.has(slot)) return
  collection.budget.add(SLOT_BYTES)
  frame.reads.set(slot, toHex(collection.traced.world.storage(address.slice(), bytes)))
}

const notePreimage = ({ preimages, budget }: Collection, step: TraceStep): void => {
  if (step.op !== KECCAK256 || step.stackSize < 2) return
  const [offset, size] = [step.peek(0), step.peek(1)]
  if (offset + size > BigInt(step.memorySize + PADDING_BYTES_MAX)) return
  budget.add(2 * Number(size))
  preimages.add(toHex(step.readMemory(Number(offset), Number(size))))
}

const onStep = (collection: Collection, step: TraceStep): void => {
  const { op, stackSize, peek } = step
  collection.budget.add(0)
  if (op === RETURN || op === REVERT) collection.last = undefined
  const frame = collection.open.at(-1)
  if (frame === undefined) return
  noteCodeRead(collection, frame, op)
  noteSize(collection, frame, step)
  noteOpcode(collection, frame, op)
  noteSlot(collection, frame, step)
  notePreimage(collection, step)
  collection.last = { op, top: stackSize === 0 ? undefined : peek(0) }
}

/**
 * go-ethereum's erc7562Tracer: callTracer with the storage, the opcodes and the code that each call used, by which bundlers
 * judge whether an operation follows ERC-7562.
 */
export const erc7562Tracer =
  (options: Erc7562Options): TracerKind =>
  (traced, budget) => {
    const calls = collectCalls(budget, { withLogs: options.withLog })
    const root = newFrame()
    const collection: Collection = {
      options,
      traced,
      budget,
      preimages: new Set(),
      open: [],
      last: undefined,
    }
    const { open, preimages } = collection
    const enter = (): void => {
      const parent = open.at(-1)
      const frame = parent === undefined ? root : newFrame()
      parent?.calls.push(frame)
      open.push(frame)
    }
    return {
      hooks: joinHooks([
        calls.hooks,
        {
          onEnter: enter,
          onExit: () => void open.pop(),
          onSelfDestruct: () => void open.at(-1)?.calls.push(newFrame()),
          onStep: step => onStep(collection, step),
        },
      ]),
      finish: result => ({
        ...erc7562Shape(withTransactionGas(calls.root(), traced.gasLimit, result), root),
        ...preimagesShape(preimages),
      }),
    }
  }
