import type { Abi } from 'viem'
import { createValue } from '../rpc/value.ts'
import type { Hex } from '../rpc/types.ts'

const KEY = 'quorate-abi-'

/** Longest ABI that is kept: the storage of a browser holds about five million characters in all. */
const LENGTH_MAX = 1_000_000

/** Counts the changes, so that pages decode again. */
export const abiChanges = createValue(0)

const read = new Map<string, Abi | undefined>()

const isAbi = (value: unknown): value is Abi =>
  Array.isArray(value) &&
  value.every(
    item =>
      typeof item === 'object' && item !== null && typeof (item as { type?: unknown }).type === 'string',
  )

/** The ABI in a text: an array, or the file of a compiler with the array as `abi`. @throws Error with the reason */
const parseAbiText = (text: string): Abi => {
  if (text.length > LENGTH_MAX) throw new Error(`An ABI has at most ${LENGTH_MAX} characters.`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new Error('This is not JSON.')
  }
  const abi = Array.isArray(value) ? value : (value as { abi?: unknown } | null)?.abi
  if (!isAbi(abi)) throw new Error('This is not an ABI: it is a list of functions, events and errors.')
  return abi
}

/** The ABI that the reader gave for a contract, in this browser; undefined without one. */
export const abiOf = (address: Hex): Abi | undefined => {
  const key = KEY + address.toLowerCase()
  if (!read.has(key)) {
    const text = localStorage.getItem(key)
    read.set(key, text === null ? undefined : parseAbiText(text))
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
