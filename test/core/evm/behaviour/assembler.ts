import { concatBytes } from '../../../../core/bytes/bytes.ts'
import { toHex } from '../../../../core/bytes/hex.ts'
import { bigintToBytes, bigintToFixedBytes } from '../../../../core/bytes/integer.ts'
import { OPCODES } from '../../../../core/evm/interpreter/opcodes.ts'

const BYTES: ReadonlyMap<string, number> = new Map(
  OPCODES.flatMap(opcode => (opcode === undefined ? [] : [[opcode.name, opcode.byte] as const])),
)

/** Labels are pushed as two bytes, so that their places do not depend on each other. */
const LABEL_SIZE = 2

/** The shortest PUSH of a value; PUSH1 for zero, which every fork knows. */
export const push = (value: bigint): Uint8Array => {
  const bytes = value === 0n ? Uint8Array.of(0) : bigintToBytes(value)
  return Uint8Array.of(0x5f + bytes.length, ...bytes)
}

/**
 * Code from its text: a number is pushed, `name:` is a JUMPDEST and `@name` pushes its place, anything else is an opcode.
 * What comes first on the stack stands last, as in every listing.
 */
export const assemble = (text: string): Uint8Array => {
  const places = new Map<string, number>()
  const parts: (Uint8Array | string)[] = []
  let size = 0
  for (const token of text.split(/\s+/).filter(token => token !== '')) {
    if (token.startsWith('@')) {
      parts.push(token.slice(1))
      size += 1 + LABEL_SIZE
      continue
    }
    const isLabel = token.endsWith(':')
    if (isLabel) places.set(token.slice(0, -1), size)
    const opcode = BYTES.get(isLabel ? 'JUMPDEST' : token)
    const part = opcode === undefined ? push(BigInt(token)) : Uint8Array.of(opcode)
    parts.push(part)
    size += part.length
  }
  return concatBytes(
    ...parts.map(part => {
      if (typeof part !== 'string') return part
      const place = places.get(part)
      if (place === undefined) throw new RangeError(`no label ${part}`)
      return Uint8Array.of(0x5f + LABEL_SIZE, ...bigintToFixedBytes(BigInt(place), LABEL_SIZE))
    }),
  )
}

/** Ends a program with the top of the stack as its output. */
export const RETURN_TOP = '0 MSTORE 32 0 RETURN'

/** Initialization code that deploys the code given. */
export const deploying = (code: Uint8Array): Uint8Array => {
  const prelude = `${code.length} DUP1 @end 1 ADD 0 CODECOPY 0 RETURN end:`
  return concatBytes(assemble(prelude), code)
}

/** Text that stores bytes in memory from 0 on. */
export const inMemory = (bytes: Uint8Array): string => {
  const words: string[] = []
  for (let at = 0; at < bytes.length; at += 32) {
    const word = new Uint8Array(32)
    word.set(bytes.subarray(at, at + 32))
    words.push(`${toHex(word)} ${at} MSTORE`)
  }
  return words.join(' ')
}
