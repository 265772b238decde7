import { HistoryPruned } from '../../../core/store/historyPruned.ts'

/** HistoryPruned as the bytes of an answer: what was removed, the block, and the start of the history. */
export const encodePruned = ({ what, number, historyStart }: HistoryPruned): Uint8Array => {
  const bytes = new Uint8Array(17)
  const view = new DataView(bytes.buffer)
  bytes[0] = what === 'state' ? 1 : 0
  view.setBigUint64(1, BigInt(number))
  view.setBigUint64(9, BigInt(historyStart))
  return bytes
}

export const decodePruned = (bytes: Uint8Array): HistoryPruned => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const what = bytes[0] === 1 ? 'state' : 'block'
  return new HistoryPruned(what, Number(view.getBigUint64(1)), Number(view.getBigUint64(9)))
}
