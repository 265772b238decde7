import type { Hash } from '../../core/bytes/bytes.ts'
import { toHex } from '../../core/bytes/hex.ts'
import type { Header } from '../../core/chain/header.ts'

const grouped = (value: bigint | number): string => value.toString().replace(/\B(?=(\d{3})+$)/g, ',')

/** Besu's line for a block, which operators search their logs for. */
export const describeBlock = (
  what: 'Produced' | 'Imported',
  header: Header,
  transactions: number,
  pending: number,
  hash: Hash,
): string => {
  const share = header.gasLimit === 0n ? 0 : Number((header.gasUsed * 1000n) / header.gasLimit) / 10
  return `${what} #${grouped(header.number)} / ${transactions} tx / ${pending} pending / ${grouped(header.gasUsed)} (${share.toFixed(1)}%) gas / (${toHex(hash)})`
}
