import { platform } from 'node:process'
import type { Environment } from './cli/sources/resolve.ts'

/**
 * glibc keeps freed blocks of up to 128 bytes in lists and joins all of them during a later, larger allocation
 * (malloc_consolidate). V8's collector frees tens of thousands at a time, three for each buffer outside its heap: such an
 * allocation blocked the event loop for up to 30 ms under load. Without the lists (mallopt(3), M_MXFAST) each block is joined
 * when it is freed, on the collector's thread. Bun has another allocator; macOS and musl have no such lists.
 */
const VARIABLE = 'GLIBC_TUNABLES'
const TUNABLE = 'glibc.malloc.mxfast'
const M_MXFAST = 1

/** Adds the tunable to the environment of a Node or Deno process, unless it is set there. */
export const withAllocatorTunable = (environment: Environment): Environment => {
  const given = environment[VARIABLE]
  if (given?.includes(TUNABLE) === true) return environment
  return { ...environment, [VARIABLE]: [...(given ? [given] : []), `${TUNABLE}=0`].join(':') }
}

/** The used part of Deno's API, whose types are not available here. */
type DenoApi = {
  readonly permissions: { querySync(name: { readonly name: 'ffi' }): { readonly state: string } }
  dlopen(
    path: string,
    symbols: object,
  ): { readonly symbols: { mallopt(parameter: number, value: number): number }; close(): void }
}

/**
 * Sets the same in this process on Deno, which can call the C library; Node cannot and needs the variable. Returns false if
 * nothing was set: another runtime or C library, or no permission. Does not ask for permission.
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
    // Another C library has no such setting.
    return false
  }
}
