import type { CryptoEngine, HashState } from '../engine.ts'
import { instantiate, type WasmInstance } from './instance.ts'

/** The functions of the module; parameters are addresses in its memory. */
type Functions = {
  keccak256(input: number, length: number, output: number): void
  keccak256_init(state: number): void
  keccak256_update(state: number, input: number, length: number): void
  keccak256_finalize(state: number, output: number): void
}

const DIGEST_BYTES = 32
/** Size of the state of an incremental hash; a constant of the module's source. */
const STATE_BYTES = 344
/** Alignment of the state, whose lanes are 64 bits. */
const ALIGNMENT = 8

const aligned = (address: number): number => Math.ceil(address / ALIGNMENT) * ALIGNMENT

/** A hash whose state is kept outside of the module between updates, so that several can be in progress. */
const createState = ({ functions, heapBase, reserve }: WasmInstance<Functions>): HashState => {
  const at = aligned(heapBase)
  const room = at - heapBase + STATE_BYTES + DIGEST_BYTES
  const memory = reserve(room)
  functions.keccak256_init(at)
  const state = memory.slice(at, at + STATE_BYTES)
  return {
    update: bytes => {
      const view = reserve(room + bytes.length)
      view.set(state, at)
      view.set(bytes, at + STATE_BYTES)
      functions.keccak256_update(at, at + STATE_BYTES, bytes.length)
      state.set(view.subarray(at, at + STATE_BYTES))
    },
    digest: () => {
      const view = reserve(room)
      view.set(state, at)
      functions.keccak256_finalize(at, at + STATE_BYTES)
      return view.slice(at + STATE_BYTES, at + STATE_BYTES + DIGEST_BYTES)
    },
  }
}

/** Keccak-256 of the module. */
export const createHashes = (
  module: WebAssembly.Module,
): Pick<CryptoEngine, 'keccak256' | 'createKeccak256'> => {
  const instance = instantiate<Functions>(module)
  const { functions, heapBase, reserve } = instance
  return {
    keccak256: bytes => {
      const output = heapBase + bytes.length
      const view = reserve(bytes.length + DIGEST_BYTES)
      view.set(bytes, heapBase)
      functions.keccak256(heapBase, bytes.length, output)
      return view.slice(output, output + DIGEST_BYTES)
    },
    createKeccak256: () => createState(instance),
  }
}
