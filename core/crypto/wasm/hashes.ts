import type { CryptoEngine, HashState } from '../engine.ts'
import { instantiate, type WasmInstance } from './instance.ts'
import { BLOCK_BYTES, PADDING_BYTES, STATE_BYTES } from './keccak/module.ts'

/** The functions of the module, see keccak/module.ts. */
type Functions = {
  absorb(at: number, end: number, continues: number): void
  finish(at: number, length: number, continues: number): void
}

const DIGEST_BYTES = 32
/** Where the module has the state; it begins with the digest. */
const STATE_AT = 0

/** A hash whose state is kept outside of the module between updates, so that several can be in progress. */
const createState = ({ functions, heapBase, reserve }: WasmInstance<Functions>): HashState => {
  const state = new Uint8Array(STATE_BYTES)
  /** Bytes that do not fill a block yet. */
  const rest = new Uint8Array(BLOCK_BYTES)
  let restLength = 0
  const enter = (view: Uint8Array): void => {
    view.set(state, STATE_AT)
    view.set(rest.subarray(0, restLength), heapBase)
  }
  return {
    update: bytes => {
      const length = restLength + bytes.length
      if (length < BLOCK_BYTES) {
        rest.set(bytes, restLength)
        restLength = length
        return
      }
      const view = reserve(length)
      enter(view)
      view.set(bytes, heapBase + restLength)
      const end = heapBase + length - (length % BLOCK_BYTES)
      functions.absorb(heapBase, end, 1)
      state.set(view.subarray(STATE_AT, STATE_AT + STATE_BYTES))
      restLength = length % BLOCK_BYTES
      rest.set(view.subarray(end, end + restLength))
    },
    digest: () => {
      const view = reserve(restLength + PADDING_BYTES)
      enter(view)
      functions.finish(heapBase, restLength, 1)
      return view.slice(STATE_AT, STATE_AT + DIGEST_BYTES)
    },
  }
}

/** A word with its bytes in the opposite order. */
const reversed = (word: number): number =>
  (word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24)

/** The bytes from `at` to `end`, fewer than four, as a little-endian word. */
const lastWord = (view: DataView, at: number, end: number): number => {
  let word = 0
  for (let index = end - 1; index >= at; index--) word = (word << 8) | view.getUint8(index)
  return word
}

/** Copying the whole of shorter arrays takes less time than making a view of a part. */
const SHORT_BYTES = 4096

/** Keccak-256 of the module. */
export const createHashes = (
  module: WebAssembly.Module,
): Pick<CryptoEngine, 'keccak256' | 'keccak256Part' | 'keccak256Words' | 'createKeccak256'> => {
  const instance = instantiate<Functions>(module)
  const { functions, heapBase, reserve, reserveWords } = instance
  /** Engines take longer for `slice` and `set`. */
  const copyDigest = (view: Uint8Array, output: Uint8Array, at: number): void => {
    for (let index = 0; index < DIGEST_BYTES; index++) output[at + index] = view[STATE_AT + index] as number
  }
  return {
    keccak256: bytes => {
      const view = reserve(bytes.length + PADDING_BYTES)
      view.set(bytes, heapBase)
      functions.finish(heapBase, bytes.length, 0)
      const digest = new Uint8Array(DIGEST_BYTES)
      copyDigest(view, digest, 0)
      return digest
    },
    keccak256Part: (bytes, start, end, output, at) => {
      const isShort = bytes.length <= SHORT_BYTES
      const input = isShort ? bytes : bytes.subarray(start, end)
      const view = reserve(input.length + PADDING_BYTES)
      view.set(input, heapBase)
      functions.finish(isShort ? heapBase + start : heapBase, end - start, 0)
      copyDigest(view, output, at)
    },
    keccak256Words: (view, start, end, words, at) => {
      const length = end - start
      const input = reserveWords(length + PADDING_BYTES)
      const inputAt = heapBase >> 2
      const wholeWords = length >> 2
      for (let index = 0; index < wholeWords; index++)
        input[inputAt + index] = view.getInt32(start + 4 * index, true)
      if (4 * wholeWords < length) input[inputAt + wholeWords] = lastWord(view, start + 4 * wholeWords, end)
      functions.finish(heapBase, length, 0)
      for (let index = 0; index < 8; index++)
        words[at + index] = reversed(input[STATE_AT + 7 - index] as number)
    },
    createKeccak256: () => createState(instance),
  }
}
