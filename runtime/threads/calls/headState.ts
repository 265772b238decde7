import type { Address } from '../../../core/bytes/bytes.ts'
import { toBareHex } from '../../../core/bytes/hex.ts'
import type { StateChanges } from '../../../core/state/account.ts'
import type { Asker } from './asker.ts'

/** New blocks that are looked into for what they changed; after more of them everything is asked for again. */
const BLOCKS_MAX = 16n

export const accountPlace = (address: Address): string => `a${toBareHex(address)}`
export const slotPlace = (address: Address, incarnation: bigint, slot: Uint8Array): string =>
  `s${toBareHex(address)}${incarnation}:${toBareHex(slot)}`

/** Under which keys answers on the state are remembered. */
export type HeadState = {
  /**
   * A key of its own for each block, and for the head one that it keeps from block to block: what a new block did not change
   * is not asked for again.
   */
  readonly keyAt: (number: bigint, place: string) => string
  /** Another block is the head. */
  readonly moveTo: (number: bigint) => void
}

/** @param changesOf what a block did to the state */
export const createHeadState = (
  forget: Asker['forget'],
  changesOf: (number: bigint) => StateChanges | undefined,
): HeadState => {
  let head = -1n
  /** Counts how often everything was forgotten. */
  let epoch = 0
  const headKey = (place: string): string => `${epoch}!${place}`

  const forgetChanged = ({ accounts }: StateChanges): void => {
    for (const { address, after, slots } of accounts) {
      forget(headKey(accountPlace(address)))
      if (after === undefined) continue
      for (const { slot } of slots) forget(headKey(slotPlace(address, after.incarnation, slot)))
    }
  }

  return {
    keyAt: (number, place) => (number === head ? headKey(place) : `${number}${place}`),
    moveTo: number => {
      if (number === head) return
      if (number < head || number > head + BLOCKS_MAX) epoch++
      else
        for (let block = head + 1n; block <= number; block++) {
          const changes = changesOf(block)
          if (changes === undefined) epoch++
          else forgetChanged(changes)
        }
      head = number
    },
  }
}
