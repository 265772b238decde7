import { compareBytes, isZeroBytes } from '../../../../core/bytes/bytes.ts'
import { toHex, toQuantity } from '../../../../core/bytes/hex.ts'
import type { AccountDifference } from '../../../../core/state/differences.ts'
import type { Budget } from '../budget.ts'

type Json = Record<string, unknown>

const ACCOUNT_BYTES = 240
const SLOT_BYTES = 240

/** `=` for an unchanged value, `+` and `-` for an added and a removed one, `*` for a changed one. */
const change = (from: string | undefined, to: string | undefined): unknown => {
  if (from === to) return '='
  if (from === undefined) return { '+': to }
  return to === undefined ? { '-': from } : { '*': { from, to } }
}

const accountShape = ({ before, after, slots }: AccountDifference): Json => {
  const isNew = before === undefined
  const shown = slots.filter(slot => !isNew || !isZeroBytes(slot.after))
  const code = (which: typeof before): string | undefined =>
    which === undefined ? undefined : toHex(which.code)
  const quantity = (value: bigint | undefined): string | undefined =>
    value === undefined ? undefined : toQuantity(value)
  return {
    balance: change(quantity(before?.balance), quantity(after?.balance)),
    code: change(code(before), code(after)),
    nonce: change(quantity(before?.nonce), quantity(after?.nonce)),
    storage: Object.fromEntries(
      shown
        .toSorted((a, b) => compareBytes(a.slot, b.slot))
        .map(slot => [toHex(slot.slot), change(isNew ? undefined : toHex(slot.before), toHex(slot.after))]),
    ),
  }
}

/** The changes of a transaction by account (Besu, OpenEthereum). */
export const stateDiffShape = (differences: readonly AccountDifference[], budget: Budget): Json => {
  for (const { before, after, slots } of differences)
    budget.add(
      ACCOUNT_BYTES +
        SLOT_BYTES * slots.length +
        2 * ((before?.code.length ?? 0) + (after?.code.length ?? 0)),
    )
  return Object.fromEntries(
    differences
      .toSorted((a, b) => compareBytes(a.address, b.address))
      .map(difference => [toHex(difference.address), accountShape(difference)]),
  )
}
