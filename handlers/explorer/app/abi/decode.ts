import type { Abi, AbiEvent, AbiParameter } from 'viem'
import { decodeErrorResult, decodeEventLog, decodeFunctionData } from 'viem/utils'
import type { Hex, RpcLog } from '../rpc/types.ts'
import { SELECTOR_LENGTH, selectorTable } from './selectors.ts'
import type { AbiItem } from './types.ts'
import { STANDARD_ABI } from './standards.ts'
import { abiOf } from './stored.ts'

/** A call, an event or an error with its values. */
export type Decoded = {
  readonly name: string
  readonly parameters: readonly AbiParameter[]
  /** In the order of the parameters. */
  readonly values: readonly unknown[]
}

/** Returns the first item with the selector that decodes: the ABI of the contract comes before the standards. */
const decodeWith = (
  address: Hex | null,
  selector: string,
  decode: (item: AbiItem) => unknown,
): Decoded | undefined => {
  const own = address === null ? undefined : abiOf(address)
  for (const abi of own === undefined ? [STANDARD_ABI] : [own, STANDARD_ABI])
    for (const item of selectorTable(abi).get(selector) ?? [])
      try {
        const args = decode(item) ?? []
        const values = Array.isArray(args)
          ? args
          : item.inputs.map(({ name = '' }) => (args as Record<string, unknown>)[name])
        return { name: item.name, parameters: item.inputs, values }
      } catch {
        // The data does not match these parameters: another contract has the same selector.
      }
  return undefined
}

/** The call in the input of a transaction; undefined if no ABI declares it. */
export const decodeCall = (to: Hex | null, input: Hex): Decoded | undefined =>
  input.length < SELECTOR_LENGTH
    ? undefined
    : decodeWith(
        to,
        `function ${input.slice(0, SELECTOR_LENGTH).toLowerCase()}`,
        item => decodeFunctionData({ abi: [item] as Abi, data: input }).args,
      )

/** The parameters of an event in their order, whether they have names or not. */
const unnamed = (item: AbiEvent): AbiEvent => ({
  ...item,
  inputs: item.inputs.map((input, index) => ({ ...input, name: `p${index}` })),
})

const decodeEvent = (
  address: Hex | null,
  { topics, data }: Pick<RpcLog, 'topics' | 'data'>,
): Decoded | undefined =>
  topics[0] === undefined
    ? undefined
    : decodeWith(address, topics[0], item => {
        const own = unnamed(item as AbiEvent)
        const { args } = decodeEventLog({ abi: [own] as Abi, data, topics: topics as [Hex, ...Hex[]] })
        return own.inputs.map(({ name }) => (args as Record<string, unknown> | undefined)?.[name as string])
      })

/** The event of a log; undefined if no ABI declares it. */
export const decodeLog = (log: Pick<RpcLog, 'address' | 'topics' | 'data'>): Decoded | undefined =>
  decodeEvent(log.address, log)

/** The event of a log as the standards declare it, whatever the ABI of the contract says. */
export const decodeStandardLog = (log: Pick<RpcLog, 'topics' | 'data'>): Decoded | undefined =>
  decodeEvent(null, log)

/** Codes of Solidity's Panic. */
const PANICS: Readonly<Record<string, string>> = {
  1: 'an assertion failed',
  17: 'arithmetic overflow or underflow',
  18: 'division by zero',
  33: 'a value outside an enumeration',
  34: 'a storage array that is encoded incorrectly',
  49: 'pop of an empty array',
  50: 'an index outside an array',
  65: 'too much memory',
  81: 'a call of an internal function that is not set',
}

/** The error that a call returned; undefined if no ABI declares it. */
export const decodeError = (address: Hex | null, data: Hex): Decoded | undefined =>
  data.length < SELECTOR_LENGTH
    ? undefined
    : decodeWith(
        address,
        `error ${data.slice(0, SELECTOR_LENGTH).toLowerCase()}`,
        item => decodeErrorResult({ abi: [item] as Abi, data }).args,
      )

/** The sentence in Error(string), or what a Panic means; undefined for other errors. */
export const reasonOf = ({ name, values }: Decoded): string | undefined => {
  if (name === 'Error' && typeof values[0] === 'string') return values[0]
  if (name === 'Panic') return PANICS[String(values[0])] ?? `panic code ${String(values[0])}`
  return undefined
}
