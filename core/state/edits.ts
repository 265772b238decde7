import type { Address } from '../bytes/bytes.ts'
import type { WorldState } from './world.ts'

/** A change to the state without a transaction; for development chains. */
export type StateEdit = { readonly address: Address } & (
  | { readonly kind: 'balance'; readonly wei: bigint }
  | { readonly kind: 'nonce'; readonly nonce: bigint }
  | { readonly kind: 'code'; readonly code: Uint8Array }
  /** Slot and value have 32 bytes. */
  | { readonly kind: 'slot'; readonly slot: Uint8Array; readonly value: Uint8Array }
)

/** An edit, linked to those before it: an addition copies none of them. */
export type LinkedEdit = { readonly edit: StateEdit; readonly before: EditList; readonly length: number }

/** Several edits, as the last of them; undefined for none. */
export type EditList = LinkedEdit | undefined

export const withEdit = (list: EditList, edit: StateEdit): EditList => ({
  edit,
  before: list,
  length: (list?.length ?? 0) + 1,
})

export const editListOf = (edits: readonly StateEdit[]): EditList => {
  let list: EditList
  for (const edit of edits) list = withEdit(list, edit)
  return list
}

/** The longest list that both continue. */
export const commonEdits = (one: EditList, other: EditList): EditList => {
  let [a, b] = [one, other]
  while (a !== b)
    if ((a?.length ?? 0) >= (b?.length ?? 0)) a = a?.before
    else b = b?.before
  return a
}

/** The edits of `list` after those of `start`, in their order; undefined if `list` does not continue `start`. */
export const editsSince = (start: EditList, list: EditList): readonly LinkedEdit[] | undefined => {
  const edits: LinkedEdit[] = []
  let at = list
  while (at !== start) {
    if (at === undefined) return undefined
    edits.push(at)
    at = at.before
  }
  return edits.reverse()
}

const applyEdit = (world: WorldState, edit: StateEdit): void => {
  switch (edit.kind) {
    case 'balance':
      return world.setBalance(edit.address, edit.wei)
    case 'nonce':
      return world.setNonce(edit.address, edit.nonce)
    case 'code':
      return world.setCode(edit.address, edit.code)
    case 'slot':
      return world.setStorage(edit.address, edit.slot, edit.value)
  }
}

/** Applies the edits to the world, as part of the block that is executed on it. */
export const applyEdits = (world: WorldState, list: EditList): void => {
  for (const { edit } of editsSince(undefined, list) ?? []) applyEdit(world, edit)
  if (list !== undefined) world.keep()
}
