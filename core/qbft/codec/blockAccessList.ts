import { RlpError } from '../../rlp/rlp.ts'
import type { Dialect } from '../message.ts'
import { EMPTY_STRING } from '../../rlp/list.ts'
import type { RawItem } from '../../rlp/rawItem.ts'

/**
 * The block access list item, which only one dialect has. Always empty, because no supported fork has block access lists.
 */
export const blockAccessListItems = (dialect: Dialect): readonly Uint8Array[] =>
  dialect === 'blockAccessList' ? [EMPTY_STRING] : []

/** @throws RlpError when the item has a block access list */
export const refuseBlockAccessList = (raw: RawItem | undefined): void => {
  if (raw === undefined || (raw.length === 1 && raw[0] === 0x80)) return
  throw new RlpError('a block access list (EIP-7928) is not supported')
}
