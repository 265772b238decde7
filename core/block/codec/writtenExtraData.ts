import { equalBytes } from '../../bytes/bytes.ts'
import { iterateRawItems, type RawItem } from '../../rlp/rawItem.ts'
import { RlpError } from '../../rlp/rlp.ts'
import type { Header } from '../header.ts'
import { QBFT_MIX_HASH } from './blockHash.ts'
import { DecodeError } from './error.ts'
import { decodeGenesisExtraData, encodeExtraData } from './extraData.ts'

/*
 * Earlier releases stored the extraData of a block as it came: with items after the fifth, and votes in any form that Besu reads.
 * Nothing covers these, and peers refuse them now.
 */

const FIELDS = 5
const VOTE = 2
const ROUND = 3

/** True for extraData that may have another form than the written one: it has further items, a vote, or a round of IBFT 2.0. */
export const mayBeUnwritten = (extraData: RawItem): boolean => {
  let index = 0
  try {
    for (const item of iterateRawItems(extraData, 'extraData')) {
      const isSuspicious =
        index === FIELDS || (index === VOTE && item.length > 1) || (index === ROUND && item.length === 5)
      if (isSuspicious) return true
      index++
    }
  } catch (error) {
    // Of another consensus; who decodes it reports it.
    if (!(error instanceof RlpError)) throw error
  }
  return false
}

/** The stored header with its extraData as the encoder writes it; the same object when it is already. */
export const withWrittenExtraData = (header: Header): Header => {
  const { number, mixHash, extraData } = header
  if (number === 0n || !mayBeUnwritten(extraData) || !equalBytes(mixHash, QBFT_MIX_HASH)) return header
  try {
    const written = encodeExtraData(decodeGenesisExtraData(extraData))
    return equalBytes(written, extraData) ? header : { ...header, extraData: written }
  } catch (error) {
    if (error instanceof DecodeError) return header
    throw error
  }
}
