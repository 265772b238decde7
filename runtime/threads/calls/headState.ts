import type { Address } from '../../../core/bytes/bytes.ts'
import { toBareHex } from '../../../core/bytes/hex.ts'
import type { StateChanges } from '../../../core/state/account.ts'
import type { StoreClient } from './storeClient.ts'

/** Maximum new blocks whose changes are applied to the cache; beyond that the whole cache is dropped. */
const BLOCKS_MAX = 16n

export const accountPlace = (address: Address): string => `a${toBareHex(address)}`
export const slotPlace = (address: Address, incarnation: bigint, slot: Uint8Array): string =>
  `s${toBareHex(address)}${incarnation}:${toBareHex(slot)}`

/** Cache keys of state data. */
export type HeadState = {
  /**
   * Keys contain the block number, except at the head: there they stay the same from block to block, so data that a new
   * block did not change stays cached.
   */
  readonly keyAt: (number: bigint, place: string) => string
  /** Sets the head and forgets what the blocks up to it changed. */
  readonly moveTo: (number: bigint) => void
}

/** @param changesOf the state changes of a block */
export const createHeadState = (
  forget: StoreClient['forget'],
  changesOf: (number: bigint) => StateChanges | undefined,
): HeadState => {
  let head = -1n
  /** Part of the head's keys; a new value drops all of them. */
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
