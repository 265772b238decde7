/*
 * Parts of the binary format of WebAssembly modules (WebAssembly core specification, chapter 5), for modules that are
 * generated here.
 */

/** Groups the bytes of an instruction sequence on one line. */
export const code = (...bytes: readonly number[]): readonly number[] => bytes

/** Unsigned LEB128. */
export const unsigned = (value: number): number[] =>
  value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)]

/** The bytes after their number. */
export const sized = (bytes: readonly number[]): number[] => [...unsigned(bytes.length), ...bytes]

export const section = (id: number, content: readonly number[]): number[] => [id, ...sized(content)]

export const name = (text: string): number[] => sized([...new TextEncoder().encode(text)])
