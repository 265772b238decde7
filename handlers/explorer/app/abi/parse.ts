import type { Abi, AbiParameter } from 'viem'

/** Longest ABI that is kept: the storage of a browser holds about five million characters in all. */
const LENGTH_MAX = 1_000_000

/** Depth of tuples in tuples: compilers write a few. */
const DEPTH_MAX = 32

/** Longest type; array after array makes it longer. */
const TYPE_LENGTH_MAX = 100

type Members = Readonly<Record<string, unknown>>

const membersOf = (value: unknown, what: string): Members => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`This is not an ABI: ${what} is not an object.`)
  return value as Members
}

const listOf = (value: unknown, what: string): readonly unknown[] => {
  if (value === undefined) return []
  if (!Array.isArray(value)) throw new Error(`This is not an ABI: ${what} is not a list.`)
  return value
}

const textOf = (value: unknown, what: string): string => {
  if (typeof value !== 'string') throw new Error(`This is not an ABI: ${what} is not a text.`)
  return value
}

const parameterOf = (value: unknown, what: string, depth = 0): AbiParameter => {
  const members = membersOf(value, what)
  const type = textOf(members['type'], `the type of ${what}`)
  if (type.length > TYPE_LENGTH_MAX || depth > DEPTH_MAX)
    throw new Error(`This is not an ABI: the type of ${what} is too long.`)
  const isTuple = type.startsWith('tuple')
  return {
    type,
    name: textOf(members['name'] ?? '', `the name of ${what}`),
    ...(members['indexed'] === true ? { indexed: true } : {}),
    ...(isTuple
      ? {
          components: listOf(members['components'], `the tuple of ${what}`).map(component =>
            parameterOf(component, what, depth + 1),
          ),
        }
      : {}),
  }
}

const parametersOf = (value: unknown, what: string): readonly AbiParameter[] =>
  listOf(value, `the parameters of ${what}`).map((one, index) =>
    parameterOf(one, `parameter ${index + 1} of ${what}`),
  )

/** Compilers before Solidity 0.5 wrote `constant` and `payable` instead. */
const mutabilityOf = ({ stateMutability, constant, payable }: Members): string => {
  if (typeof stateMutability === 'string') return stateMutability
  if (constant === true) return 'view'
  return payable === true ? 'payable' : 'nonpayable'
}

/** Functions, events and errors with the members that the pages use; undefined for constructors and the like. */
const itemOf = (value: unknown, index: number): Abi[number] | undefined => {
  const place = `item ${index + 1}`
  const members = membersOf(value, place)
  // In early compilers a function has no type.
  const type = textOf(members['type'] ?? 'function', `the type of ${place}`)
  if (type !== 'function' && type !== 'event' && type !== 'error') return undefined
  const name = textOf(members['name'], `the name of ${place}`)
  const inputs = parametersOf(members['inputs'], place)
  if (type === 'error') return { type, name, inputs }
  if (type === 'event') return { type, name, inputs, anonymous: members['anonymous'] === true }
  const outputs = parametersOf(members['outputs'], place)
  return { type, name, inputs, outputs, stateMutability: mutabilityOf(members) } as Abi[number]
}

/** The ABI in a text: an array, or the file of a compiler with the array as `abi`. @throws Error with the reason */
export const parseAbiText = (text: string): Abi => {
  if (text.length > LENGTH_MAX) throw new Error(`An ABI has at most ${LENGTH_MAX} characters.`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new Error('This is not JSON.')
  }
  const items = Array.isArray(value) ? value : (value as { abi?: unknown } | null)?.abi
  if (!Array.isArray(items))
    throw new Error('This is not an ABI: it is a list of functions, events and errors.')
  return items.map(itemOf).filter(item => item !== undefined)
}
