import { equalBytes } from '../../core/bytes/bytes.ts'
import { toHex } from '../../core/bytes/hex.ts'

/** How other forms than the written one are taken on purpose, and why that does no harm. */
export type Exception = {
  readonly reason: string
  /** True for bytes that may be read although they would be written otherwise. */
  readonly allows: (bytes: Uint8Array, written: Uint8Array) => boolean
}

/** Decoders and their encoder: each value has one form, and all others are refused. */
export type Codec = {
  readonly name: string
  /** Of the decoders. */
  readonly files: readonly string[]
  /** As the encoder writes them. */
  readonly samples: readonly Uint8Array[]
  /** Decodes, and encodes what was decoded. @throws one of `errors` */
  readonly reencode: (bytes: Uint8Array) => Uint8Array
  readonly errors: readonly (abstract new (...parameters: never[]) => Error)[]
  readonly exception?: Exception
}

/** The written form of the bytes, or the error with which they are refused. */
export const readAgain = ({ reencode }: Codec, bytes: Uint8Array): Uint8Array | Error => {
  try {
    return reencode(bytes)
  } catch (error) {
    return error as Error
  }
}

/** What is wrong with how changed bytes are read; undefined when they are refused, or are what is written. */
export const faultOf = (codec: Codec, bytes: Uint8Array): string | undefined => {
  const written = readAgain(codec, bytes)
  const shown = toHex(bytes.subarray(0, 2048))
  if (written instanceof Error) {
    if (codec.errors.some(kind => written instanceof kind)) return undefined
    return `${shown} is no decode error: ${written.stack ?? written.message}`
  }
  if (equalBytes(written, bytes) || codec.exception?.allows(bytes, written) === true) return undefined
  return `${shown} is read, and written as ${toHex(written.subarray(0, 2048))}`
}
