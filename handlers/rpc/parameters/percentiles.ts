import { PERCENTILES_MAX } from './limits.ts'

/** A JSON number or a decimal string; Besu accepts both. */
const numberOf = (value: unknown): number | undefined => {
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^\d{1,3}(?:\.\d{1,20})?$/.test(value) ? Number(value) : undefined
}

/** Percentiles of eth_feeHistory: at most PERCENTILES_MAX numbers from 0 to 100 in ascending order. Undefined for anything else. */
export const percentilesOf = (value: unknown): readonly number[] | undefined => {
  if (!Array.isArray(value) || value.length > PERCENTILES_MAX) return undefined
  const numbers: number[] = []
  let previous = -1
  for (const one of value) {
    const number = numberOf(one)
    if (number === undefined || number <= previous || number < 0 || number > 100) return undefined
    numbers.push(number)
    previous = number
  }
  return numbers
}
