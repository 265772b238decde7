import { platform } from 'node:process'
import type { Environment } from './cli/resolve.ts'

/**
 * glibc keeps freed blocks of up to 128 bytes apart and joins all of them in the middle of a later, larger allocation
 * (malloc_consolidate). V8's collector frees tens of thousands at a time, three for each buffer outside its heap: such an
 * allocation took up to 30 ms of a turn of the event loop under load. Without those lists (mallopt(3), M_MXFAST) each is
 * joined when it is freed, on the collector's own thread. Bun has another allocator; macOS and musl have no such lists.
 */
const VARIABLE = 'GLIBC_TUNABLES'
const TUNABLE = 'glibc.malloc.mxfast'
const M_MXFAST = 1

/** The environment for a process of Node or Deno; what is set there already stays. */
export const withAllocatorTunable = (environment: Environment): Environment => {
  const given = environment[VARIABLE]
  if (given?.includes(TUNABLE) === true) return environment
  return { ...environment, [VARIABLE]: [...(given ? [given] : []), `${TUNABLE}=0`].join(':') }
}

/** The part of Deno's own API that is used; its types are not those of this project. */
type DenoApi = {
  readonly permissions: { querySync(name: { readonly name: 'ffi' }): { readonly state: string } }
  dlopen(
    path: string,
    symbols: object,
  ): { readonly symbols: { mallopt(parameter: number, value: number): number }; close(): void }
}

/**
 * The same in this process, where Deno may call the C library; Node cannot, and needs the variable. False where nothing
 * was set: another runtime or C library, or no permission. Asks for none.
 */
export const tuneAllocator = (): boolean => {
  const { Deno } = globalThis as unknown as { Deno?: DenoApi }
  if (Deno === undefined || platform !== 'linux') return false
  if (Deno.permissions.querySync({ name: 'ffi' }).state !== 'granted') return false
  try {
    const library = Deno.dlopen('libc.so.6', {
      mallopt: { parameters: ['i32', 'i32'], result: 'i32' },
    })
    const answer = library.symbols.mallopt(M_MXFAST, 0)
    library.close()
    return answer === 1
  } catch {
    // Another C library: there is nothing to set.
    return false
  }
}
