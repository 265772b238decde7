import { RlpError } from '../../rlp/rlp.ts'
import type { Dialect } from '../message.ts'
import { EMPTY_STRING } from './field.ts'
import type { RawItem } from '../../rlp/rawItem.ts'

/** The item for a block access list, which is there in one of the dialects only. Never with a list: no fork has them yet. */
export const blockAccessListItems = (dialect: Dialect): readonly Uint8Array[] =>
  dialect === 'blockAccessList' ? [EMPTY_STRING] : []

/** @throws RlpError when a list is there */
export const refuseBlockAccessList = (raw: RawItem | undefined): void => {
  if (raw === undefined || (raw.length === 1 && raw[0] === 0x80)) return
  throw new RlpError('a block access list (EIP-7928) is not supported')
}
