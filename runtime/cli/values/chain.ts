import { InvalidValue } from '../option.ts'

/** A block that the chain must have. */
export type RequiredBlock = { readonly number: bigint; readonly hash: string }

const REQUIRED = /^(\d{1,19})=(?:0x)?([0-9a-f]{64})$/i

/** @returns undefined for a text that is not `NUMBER=HASH` */
export const parseRequiredBlock = (text: string): RequiredBlock | undefined => {
  const match = REQUIRED.exec(text)
  return match === null
    ? undefined
    : { number: BigInt(match[1] as string), hash: `0x${(match[2] as string).toLowerCase()}` }
}

/** Checks entries of the form `NUMBER=HASH`. */
export const checkRequiredBlocks = (entries: readonly string[]): readonly string[] => {
  const given = entries.filter(entry => entry !== '')
  const wrong = given.find(entry => parseRequiredBlock(entry) === undefined)
  if (wrong !== undefined)
    throw new InvalidValue(`: '${wrong}' is not a number, =, and a block hash of 32 bytes in hex`)
  return given
}
