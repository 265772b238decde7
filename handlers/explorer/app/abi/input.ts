import type { AbiParameter } from 'viem'
import { isAddressText } from '../format/hex.ts'

const wrong = (type: string, what: string): Error => new Error(`A value of type ${type} is ${what}.`)

/** Whole numbers of JSON lose digits above 2^53: large ones are written as texts. */
const integerOf = (type: string, value: unknown): bigint => {
  const text = String(value).trim()
  if (!/^(?:-?\d+|0x[0-9a-f]+)$/i.test(text) || (typeof value === 'number' && !Number.isSafeInteger(value)))
    throw wrong(type, 'a whole number, such as 12 or 0x0c; as a text in JSON when it is large')
  return BigInt(text)
}

const scalarOf = (type: string, value: unknown): unknown => {
  if (/^u?int/.test(type)) return integerOf(type, value)
  const text = String(value).trim()
  if (type === 'bool') {
    if (text !== 'true' && text !== 'false') throw wrong(type, 'true or false')
    return text === 'true'
  }
  if (type === 'address') {
    if (!isAddressText(text)) throw wrong(type, '20 bytes in hex')
    return text.toLowerCase()
  }
  if (type.startsWith('bytes')) {
    if (!/^0x(?:[0-9a-f]{2})*$/i.test(text)) throw wrong(type, 'bytes in hex, such as 0x12ab')
    return text
  }
  if (type === 'string') return String(value)
  throw wrong(type, 'not supported here')
}

type Typed = AbiParameter & { readonly components?: readonly AbiParameter[] }

const valueOf = (parameter: Typed, value: unknown): unknown => {
  const element = /^(.*)\[\d*\]$/.exec(parameter.type)?.[1]
  if (element !== undefined) {
    if (!Array.isArray(value)) throw wrong(parameter.type, 'a JSON list, such as ["1", "2"]')
    return value.map(one => valueOf({ ...parameter, type: element }, one))
  }
  if (parameter.type !== 'tuple') return scalarOf(parameter.type, value)
  const components = parameter.components ?? []
  if (!Array.isArray(value) || value.length !== components.length)
    throw wrong('tuple', `a JSON list of ${components.length} values`)
  return components.reduce<unknown>(
    (given, component, index) =>
      Array.isArray(given)
        ? [...given, valueOf(component, value[index])]
        : { ...(given as object), [component.name as string]: valueOf(component, value[index]) },
    components.every(({ name }) => name !== undefined && name !== '') ? {} : [],
  )
}

/** The value of a parameter from what a person wrote. Lists and tuples are JSON. @throws Error with the reason */
export const inputOf = (parameter: AbiParameter, text: string): unknown => {
  if (!/\]$|^tuple/.test(parameter.type)) return valueOf(parameter, text)
  try {
    return valueOf(parameter, JSON.parse(text))
  } catch (error) {
    if (error instanceof SyntaxError) throw wrong(parameter.type, 'JSON, such as ["1", "2"]')
    throw error
  }
}
