/** A module with its own memory: callers copy inputs to it, above `heapBase`, and results out of it. */
export type WasmInstance<Functions> = {
  readonly functions: Functions
  readonly heapBase: number
  /** Makes room for so many bytes above `heapBase` and returns the whole memory. @throws RangeError when it cannot grow */
  readonly reserve: (bytes: number) => Uint8Array
}

type Exports = { readonly memory: WebAssembly.Memory; heap_base(): number }

const PAGE_BYTES = 65_536

const fromBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), character => character.charCodeAt(0))

/** Compiles a module. Rejects where the runtime forbids it, as Cloudflare Workers do. */
export const compile = (base64: string): Promise<WebAssembly.Module> =>
  WebAssembly.compile(fromBase64(base64))

export const instantiate = <Functions>(module: WebAssembly.Module): WasmInstance<Functions> => {
  const functions = new WebAssembly.Instance(module, {}).exports as Exports & Functions
  const { memory } = functions
  const heapBase = functions.heap_base()
  let view = new Uint8Array(memory.buffer)
  return {
    functions,
    heapBase,
    reserve: bytes => {
      const missing = heapBase + bytes - view.length
      if (missing > 0) {
        memory.grow(Math.ceil(missing / PAGE_BYTES))
        view = new Uint8Array(memory.buffer)
      }
      return view
    },
  }
}
