import type { TraceStep } from '../../../../core/evm/interpreter/tracer.ts'

export type MemoryRange = { readonly offset: number; readonly size: number }

const WORD = 32

type Place = {
  /** Stack depth of the offset. */
  readonly offset: number
  /** Stack depth of the size, or the size itself. */
  readonly size: { readonly at: number } | number
}

/** The memory that each opcode writes; MLOAD is included, as in OpenEthereum. */
const PLACES: ReadonlyMap<number, Place> = new Map<number, Place>([
  [0x37, { offset: 0, size: { at: 2 } }], // CALLDATACOPY
  [0x39, { offset: 0, size: { at: 2 } }], // CODECOPY
  [0x3c, { offset: 1, size: { at: 3 } }], // EXTCODECOPY
  [0x3e, { offset: 0, size: { at: 2 } }], // RETURNDATACOPY
  [0x51, { offset: 0, size: WORD }], // MLOAD
  [0x52, { offset: 0, size: WORD }], // MSTORE
  [0x53, { offset: 0, size: 1 }], // MSTORE8
  [0x5e, { offset: 0, size: { at: 2 } }], // MCOPY
  [0xf1, { offset: 5, size: { at: 6 } }], // CALL
  [0xf2, { offset: 5, size: { at: 6 } }], // CALLCODE
  [0xf4, { offset: 4, size: { at: 5 } }], // DELEGATECALL
  [0xfa, { offset: 4, size: { at: 5 } }], // STATICCALL
])

/** The range of memory that the instruction is about to write; undefined where it writes none, or cannot run. */
export const memoryWritten = ({ op, stackSize, peek }: TraceStep): MemoryRange | undefined => {
  const place = PLACES.get(op)
  if (place === undefined) return undefined
  const { offset, size } = place
  const deepest = Math.max(offset, typeof size === 'number' ? 0 : size.at)
  if (deepest >= stackSize) return undefined
  const bytes = typeof size === 'number' ? size : Number(peek(size.at))
  return bytes === 0 ? undefined : { offset: Number(peek(offset)), size: bytes }
}
