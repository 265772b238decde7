import type { Abi, AbiFunction } from 'viem'
import type { AbiItem } from './types.ts'
import { toEventSelector, toFunctionSelector } from 'viem/utils'

/** Characters of the selector of a function or an error: 0x and four bytes. */
export const SELECTOR_LENGTH = 10

/** The items of an ABI by their selectors; several where only the indexed parameters differ. */
export type SelectorTable = ReadonlyMap<string, readonly AbiItem[]>

const tables = new WeakMap<Abi, SelectorTable>()

/** Four bytes for functions and errors, 32 for events; undefined for an item that is not valid. */
const selectorOf = (item: AbiItem): string | undefined => {
  try {
    if (item.type === 'event') return item.anonymous === true ? undefined : toEventSelector(item)
    // The selector of an error is computed like that of a function.
    const like: AbiFunction = { ...item, type: 'function', outputs: [], stateMutability: 'nonpayable' }
    return `${item.type} ${toFunctionSelector(like)}`
  } catch {
    // Types that no compiler writes: nothing is decoded with it.
    return undefined
  }
}

/** Built once for each ABI: each selector is a hash. */
export const selectorTable = (abi: Abi): SelectorTable => {
  const known = tables.get(abi)
  if (known !== undefined) return known
  const table = new Map<string, AbiItem[]>()
  for (const item of abi) {
    if (item.type !== 'function' && item.type !== 'event' && item.type !== 'error') continue
    const selector = selectorOf(item)
    if (selector === undefined) continue
    const same = table.get(selector)
    if (same === undefined) table.set(selector, [item])
    else same.push(item)
  }
  tables.set(abi, table)
  return table
}
