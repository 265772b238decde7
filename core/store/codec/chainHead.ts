import { decodeHeader, encodeHeader } from '../../block/codec/header.ts'
import { withWrittenExtraData } from '../../block/codec/writtenExtraData.ts'
import type { ChainHead } from '../store.ts'
import { createReader } from './reader.ts'
import { createWriter } from './writer.ts'

export const encodeChainHead = ({ header, hash, totalDifficulty }: ChainHead): Uint8Array => {
  const writer = createWriter(800)
  writer.raw(hash)
  writer.integer(totalDifficulty)
  writer.raw(encodeHeader(header))
  return writer.finish()
}

/** Decodes copies, not views of `bytes`. */
export const decodeChainHead = (bytes: Uint8Array): ChainHead => {
  const reader = createReader(bytes)
  const hash = reader.copy(32)
  return { hash, totalDifficulty: reader.integer(), header: decodeHeader(reader.rest()) }
}

/** As `decodeChainHead`, of a head that an earlier release may have stored. */
export const decodeStoredHead = (bytes: Uint8Array): ChainHead => {
  const head = decodeChainHead(bytes)
  return { ...head, header: withWrittenExtraData(head.header) }
}
