import { PERCENTILES_MAX } from './limits.ts'

/** A number as JSON or as text has it; Besu takes both. */
const numberOf = (value: unknown): number | undefined => {
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^\d{1,3}(?:\.\d{1,20})?$/.test(value) ? Number(value) : undefined
}

/** Percentiles of eth_feeHistory: from 0 to 100, each above the one before it, PERCENTILES_MAX at most. Undefined for anything else. */
export const percentilesOf = (value: unknown): readonly number[] | undefined => {
  if (!Array.isArray(value) || value.length > PERCENTILES_MAX) return undefined
  const numbers: number[] = []
  let least = -1
  for (const one of value) {
    const number = numberOf(one)
    if (number === undefined || number <= least || number < 0 || number > 100) return undefined
    numbers.push(number)
    least = number
  }
  return numbers
}
