import type { Hash } from '../../core/bytes/bytes.ts'
import { toHex } from '../../core/bytes/hex.ts'
import type { Header } from '../../core/block/header.ts'
import type { Log } from './log.ts'

const grouped = (value: bigint | number): string => value.toString().replace(/\B(?=(\d{3})+$)/g, ',')

/** The log line of a block in Besu's format, which operators search for. */
const describeBlock = (
  what: 'Produced' | 'Imported',
  header: Header,
  transactions: number,
  pending: number,
  hash: Hash,
): string => {
  const share = header.gasLimit === 0n ? 0 : Number((header.gasUsed * 1000n) / header.gasLimit) / 10
  return `${what} #${grouped(header.number)} / ${transactions} tx / ${pending} pending / ${grouped(header.gasUsed)} (${share.toFixed(1)}%) gas / (${toHex(hash)})`
}

/** Logs a block as a text line with structured values. Bulk imports use the debug level. */
export const logBlock = (
  log: Log,
  what: 'Produced' | 'Imported',
  header: Header,
  transactions: number,
  pending: number,
  hash: Hash,
  level: 'info' | 'debug' = 'info',
  details: Readonly<Record<string, unknown>> = {},
): void =>
  log[level]('{block}', {
    block: describeBlock(what, header, transactions, pending, hash),
    number: header.number,
    transactions,
    pending,
    gasUsed: header.gasUsed,
    ...details,
  })
