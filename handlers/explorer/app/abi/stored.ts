import type { Abi } from 'viem'
import { createValue } from '../rpc/value.ts'
import type { Hex } from '../rpc/types.ts'
import { parseAbiText } from './parse.ts'

const KEY = 'quorate-abi-'

/** Counts the changes, so that pages decode again. */
export const abiChanges = createValue(0)

const read = new Map<string, Abi | undefined>()

/** An ABI that was kept by an earlier version of this page may not be valid now. */
const readKept = (text: string): Abi | undefined => {
  try {
    return parseAbiText(text)
  } catch {
    // The page asks for it again.
    return undefined
  }
}

/** The ABI that the reader gave for a contract, in this browser; undefined without one. */
export const abiOf = (address: Hex): Abi | undefined => {
  const key = KEY + address.toLowerCase()
  if (!read.has(key)) {
    const text = localStorage.getItem(key)
    read.set(key, text === null ? undefined : readKept(text))
  }
  return read.get(key)
}

/** Keeps the ABI of a contract in this browser. @throws Error with the reason */
export const keepAbi = (address: Hex, text: string): void => {
  const abi = parseAbiText(text)
  const key = KEY + address.toLowerCase()
  localStorage.setItem(key, JSON.stringify(abi))
  read.set(key, abi)
  abiChanges.set(abiChanges.get() + 1)
}

export const dropAbi = (address: Hex): void => {
  const key = KEY + address.toLowerCase()
  localStorage.removeItem(key)
  read.delete(key)
  abiChanges.set(abiChanges.get() + 1)
}
