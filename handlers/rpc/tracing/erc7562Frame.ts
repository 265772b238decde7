import { toHex, toQuantity } from '../../../core/bytes/hex.ts'
import { addressOfWord } from '../../../core/bytes/integer.ts'
import { frameShape } from './callTracer.ts'
import type { CallNode } from './calls.ts'

type Json = Record<string, unknown>

/** What the code of one call did, as bundlers check it (ERC-7562). */
export type FrameAccesses = {
  /** By slot, the value before the first access. */
  readonly reads: Map<string, string>
  /** By slot, the number of accesses. */
  readonly writes: Map<string, number>
  readonly transientReads: Map<string, number>
  readonly transientWrites: Map<string, number>
  /** Accounts whose code the frame looked at, in order. */
  readonly codeReads: string[]
  /** By opcode, the number of uses. */
  readonly opcodes: Map<number, number>
  /** By called or inspected account: the size of its code and the opcode of the first access. */
  readonly sizes: Map<string, { readonly contractSize: number; readonly opcode: number }>
  /** Of the inner calls, in order. */
  readonly calls: FrameAccesses[]
}

export const newFrame = (): FrameAccesses => ({
  reads: new Map(),
  writes: new Map(),
  transientReads: new Map(),
  transientWrites: new Map(),
  codeReads: [],
  opcodes: new Map(),
  sizes: new Map(),
  calls: [],
})

const NO_ACCESSES = newFrame()

/** As in go-ethereum, of inner calls only. */
const isOutOfGas = ({ halt }: CallNode, depth: number): boolean => depth > 0 && halt === 'Out of gas'

/** One call with its inner calls, in the shape of go-ethereum. */
export const erc7562Shape = (node: CallNode, accesses: FrameAccesses, depth = 0): Json => ({
  ...frameShape(node),
  accessedSlots: {
    reads: Object.fromEntries([...accesses.reads].map(([slot, value]) => [slot, [value]])),
    writes: Object.fromEntries(accesses.writes),
    transientReads: Object.fromEntries(accesses.transientReads),
    transientWrites: Object.fromEntries(accesses.transientWrites),
  },
  extCodeAccessInfo: accesses.codeReads,
  usedOpcodes: Object.fromEntries([...accesses.opcodes].map(([op, count]) => [toQuantity(op), count])),
  contractSize: Object.fromEntries(accesses.sizes),
  outOfGas: isOutOfGas(node, depth),
  ...(node.calls.length === 0
    ? {}
    : {
        calls: node.calls.map((call, index) =>
          erc7562Shape(call, accesses.calls[index] ?? NO_ACCESSES, depth + 1),
        ),
      }),
})

/** The hashed inputs of the whole transaction, ascending; only the root has them. */
export const preimagesShape = (preimages: ReadonlySet<string>): Json =>
  preimages.size === 0 ? {} : { keccak: [...preimages].sort() }

export const addressText = (word: bigint): string => toHex(addressOfWord(word))
