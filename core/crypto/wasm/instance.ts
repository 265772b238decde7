/** A module with its own memory: callers copy inputs to it, above `heapBase`, and results out of it. */
export type WasmInstance<Functions> = {
  readonly functions: Functions
  readonly heapBase: number
  /** Makes room for so many bytes above `heapBase` and returns the whole memory. @throws RangeError when it cannot grow */
  readonly reserve: (bytes: number) => Uint8Array
  /** The same as words; engines are slow at a DataView of such memory. */
  readonly reserveWords: (bytes: number) => Int32Array
}

type Exports = { readonly memory: WebAssembly.Memory; heap_base(): number }

const PAGE_BYTES = 65_536

export const fromBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), character => character.charCodeAt(0))

export const instantiate = <Functions>(module: WebAssembly.Module): WasmInstance<Functions> => {
  const functions = new WebAssembly.Instance(module, {}).exports as Exports & Functions
  const { memory } = functions
  const heapBase = functions.heap_base()
  let whole = new Uint8Array(memory.buffer)
  let words = new Int32Array(memory.buffer)
  const grow = (bytes: number): void => {
    memory.grow(Math.ceil(bytes / PAGE_BYTES))
    whole = new Uint8Array(memory.buffer)
    words = new Int32Array(memory.buffer)
  }
  return {
    functions,
    heapBase,
    reserve: bytes => {
      const missing = heapBase + bytes - whole.length
      if (missing > 0) grow(missing)
      return whole
    },
    reserveWords: bytes => {
      const missing = heapBase + bytes - whole.length
      if (missing > 0) grow(missing)
      return words
    },
  }
}
