import { toBareHex } from '../../../../core/bytes/hex.ts'
import { keccak256 } from '../../../../core/crypto/crypto.ts'

/** An argument of a console function: a type of the ABI. */
export type ConsoleType = 'address' | 'bool' | 'bytes' | 'int256' | 'string' | 'uint256' | `bytes${number}`

/** The types of which the libraries declare every combination of up to four. */
const COMBINED = ['uint256', 'string', 'bool', 'address'] as const
const ARGUMENTS_MAX = 4

/** Functions beside the combinations, in Hardhat's library and in Foundry's. */
const OTHERS: readonly (readonly ConsoleType[])[] = [
  ['int256'],
  ['string', 'int256'],
  ['bytes'],
  ...Array.from({ length: 32 }, (_, index) => [`bytes${index + 1}`] as const),
]

const combinations = (count: number): readonly (readonly ConsoleType[])[] =>
  count === 0 ? [[]] : combinations(count - 1).flatMap(types => COMBINED.map(type => [...types, type]))

const selectorOf = (types: string): string =>
  toBareHex(keccak256(new TextEncoder().encode(`log(${types})`)).subarray(0, 4))

/** Early releases of Hardhat's library wrote `uint` and `int` in the signatures, so that their selectors differ. */
const oldNames = (types: string): string => types.replaceAll('int256', 'int')

const createTable = (): ReadonlyMap<string, readonly ConsoleType[]> => {
  const table = new Map<string, readonly ConsoleType[]>()
  const counts = Array.from({ length: ARGUMENTS_MAX + 1 }, (_, count) => count)
  for (const types of [...counts.flatMap(combinations), ...OTHERS])
    for (const text of [types.join(','), oldNames(types.join(','))]) table.set(selectorOf(text), types)
  return table
}

let table: ReadonlyMap<string, readonly ConsoleType[]> | undefined

/** The types of the arguments of a console function, by its selector of 4 bytes; undefined for an unknown one. */
export const argumentTypes = (selector: Uint8Array): readonly ConsoleType[] | undefined => {
  table ??= createTable()
  return table.get(toBareHex(selector))
}
