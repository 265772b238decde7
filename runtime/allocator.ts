import { platform } from 'node:process'
import type { Environment } from './cli/sources/resolve.ts'
import type { RUNTIME } from './version.ts'

/**
 * glibc keeps freed blocks of up to 128 bytes in lists and joins all of them during a later, larger allocation
 * (malloc_consolidate). V8's collector frees tens of thousands at a time, three for each buffer outside its heap: such an
 * allocation blocked the event loop for up to 30 ms under load. Without the lists (mallopt(3), M_MXFAST) each block is joined
 * when it is freed, on the collector's thread. Bun has another allocator; macOS and musl have no such lists.
 */
const VARIABLE = 'GLIBC_TUNABLES'
const TUNABLE = 'glibc.malloc.mxfast'
const M_MXFAST = 1

/**
 * Node lets V8's young generation grow to 64 MB. A collection of it copies all that is still in use, which held the event loop for
 * up to 224 ms CPU after a block with 300,000 slots. With 16 MB it was 30 ms, the whole took less CPU, and a node under load
 * took 90 MB less memory.
 */
const NODE_VARIABLE = 'NODE_OPTIONS'
const SEMI_SPACE = '--max-semi-space-size'
const SEMI_SPACE_MB = 16

/** Adds `value` to a variable of a Node or Deno process, unless it has `name` there. */
const withSetting = (
  environment: Environment,
  variable: string,
  { name, value, separator }: { readonly name: string; readonly value: number; readonly separator: string },
): Environment => {
  const given = environment[variable]
  if (given?.includes(name) === true) return environment
  return { ...environment, [variable]: [...(given ? [given] : []), `${name}=${value}`].join(separator) }
}

/** The environment of a process with the settings of both allocators: that of the C library, and V8's on Node. */
export const withAllocatorSettings = (environment: Environment, runtime: typeof RUNTIME): Environment => {
  const tuned = withSetting(environment, VARIABLE, { name: TUNABLE, value: 0, separator: ':' })
  if (runtime !== 'node') return tuned
  return withSetting(tuned, NODE_VARIABLE, { name: SEMI_SPACE, value: SEMI_SPACE_MB, separator: ' ' })
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
