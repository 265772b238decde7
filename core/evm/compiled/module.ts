import { code, name, PAGE_BYTES, section, sized, unsigned } from '../../wasm/encode.ts'
import { TYPE } from '../../wasm/instructions.ts'

/** A compiled segment: changes the shared stack, whose top item has this index. */
export type CompiledSegment = (top: number) => void

export const pagesOf = ({ buffer }: WebAssembly.Memory): number => buffer.byteLength / PAGE_BYTES

/** A module with a function for each body, over an imported memory of so many pages. */
export const moduleOf = (bodies: readonly (readonly number[])[], pages: number): Uint8Array<ArrayBuffer> =>
  Uint8Array.from([
    ...code(0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0),
    ...section(1, [1, 0x60, 1, TYPE.i32, 0]),
    ...section(2, [1, ...name('s'), ...name('m'), 2, 1, ...unsigned(pages), ...unsigned(pages)]),
    ...section(3, [...unsigned(bodies.length), ...bodies.map(() => 0)]),
    ...section(7, [
      ...unsigned(bodies.length),
      ...bodies.flatMap((_, index) => [...name(`f${index}`), 0, ...unsigned(index)]),
    ]),
    ...section(10, [...unsigned(bodies.length), ...bodies.flatMap(body => sized(body))]),
  ])

export const instantiateSegments = (
  module: WebAssembly.Module,
  memory: WebAssembly.Memory,
): readonly CompiledSegment[] => {
  const { exports } = new WebAssembly.Instance(module, { s: { m: memory } })
  return Object.keys(exports).map((_, index) => exports[`f${index}`] as CompiledSegment)
}
