/*
 * Parts of the binary format of WebAssembly modules (WebAssembly core specification, chapter 5), for modules that are
 * generated here.
 */

/** Bytes of a page of memory. */
export const PAGE_BYTES = 65_536

/** Groups the bytes of an instruction sequence on one line. */
export const code = (...bytes: readonly number[]): readonly number[] => bytes

/** Unsigned LEB128. */
export const unsigned = (value: number): number[] =>
  value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)]

/** The bytes after their number. */
export const sized = (bytes: readonly number[]): number[] => [...unsigned(bytes.length), ...bytes]

export const section = (id: number, content: readonly number[]): number[] => [id, ...sized(content)]

export const name = (text: string): number[] => sized([...new TextEncoder().encode(text)])

/** Signed LEB128 of a 64-bit integer. */
export const signed = (value: bigint): number[] => {
  const bytes: number[] = []
  for (let rest = BigInt.asIntN(64, value); ; ) {
    const byte = Number(rest & 0x7fn)
    rest >>= 7n
    if ((rest === 0n && (byte & 0x40) === 0) || (rest === -1n && (byte & 0x40) !== 0)) {
      bytes.push(byte)
      return bytes
    }
    bytes.push(byte | 0x80)
  }
}
