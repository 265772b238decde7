import { equalBytes } from '../../../core/bytes/bytes.ts'
import { proposalDigest } from '../../../core/qbft/codec/roundOfBlock.ts'
import type { QbftMessage } from '../../../core/qbft/message.ts'
import type { RestartRecord } from '../../../core/qbft/restart/restartRecord.ts'

const FIELDS = { proposal: 'proposed', prepare: 'prepared', commit: 'committed' } as const

/** What leaves a node is written down where a crash does not reach it. `record` is what would be read after one. */
export const faultInRecord = (
  record: RestartRecord | undefined,
  message: QbftMessage,
): string | undefined => {
  const { sequence, round } = message.signed.payload
  if (record === undefined || record.sequence < sequence) return `no record of height ${sequence}`
  if (record.sequence > sequence || record.round > round) return undefined
  if (record.round < round) return `the record is of round ${record.round}, the ${message.kind} of ${round}`
  if (message.kind === 'round-change') {
    const { prepared } = message.signed.payload
    const kept = record.certificate?.round ?? -1
    return prepared !== undefined && kept < prepared.round
      ? `the certificate of round ${prepared.round} is not recorded`
      : undefined
  }
  const { payload } = message.signed
  const digest = 'block' in payload ? proposalDigest(payload.block) : payload.digest
  const recorded = record[FIELDS[message.kind]]
  return recorded !== undefined && equalBytes(recorded, digest)
    ? undefined
    : `no record of the ${message.kind}`
}
