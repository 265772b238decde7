import { equalBytes } from '../../../core/bytes/bytes.ts'
import type { RestartRecord } from '../../../core/qbft/restart/restartRecord.ts'
import {
  decodeRestartRecord,
  encodeRestartRecordSteps,
  RestartRecordError,
} from '../../../core/qbft/restart/restartRecordCodec.ts'
import { runStepsYielding } from '../../../core/steps.ts'
import type { Log } from '../../logging/log.ts'
import { createYield } from '../../scheduler.ts'
import type { RecordStorage } from './recordFile.ts'

export type RecordStore = {
  /** Resolves when the record is as durable as its place allows. @throws the error of the place */
  write(record: RestartRecord): Promise<void>
}

/** The record of messages that this validator signed before it stopped. */
export type RestoredRecord = {
  readonly record: RestartRecord | undefined
  /** A later record than this one may have been lost. */
  readonly isDamaged: boolean
}

/** A deleted chain is synced again from the peers. If all nodes start a new chain, it never reaches the recorded height. */
const warnIfBehind = ({ sequence }: RestartRecord, headNumber: bigint, log: Log): void => {
  if (sequence > headNumber + 1n)
    log.warn(
      'This validator has signed messages of block {sequence}, and its chain ends with block {headNumber}: it signs nothing until it has the blocks between. If all nodes start a new chain, stop this one and delete the folder validator in its data path.',
      { sequence, headNumber },
    )
}

/** Reads the record of signed messages; `isDamaged` if a later one may have been lost. */
export const readRestartRecord = async (
  recordStorage: RecordStorage,
  headNumber: bigint,
  log: Log,
): Promise<RestoredRecord> => {
  const { bytes, isDamaged } = await recordStorage.read()
  const logDamage = (error: unknown): void =>
    log.error(
      '{error}. This validator signs nothing until a quorum of validators has reported its height and round, and then only in later rounds',
      { error },
    )
  try {
    const record = bytes === undefined ? undefined : decodeRestartRecord(bytes)
    if (record !== undefined) warnIfBehind(record, headNumber, log)
    if (isDamaged)
      logDamage(
        new RestartRecordError('one of its two files is damaged, incomplete, or a copy of another file'),
      )
    return { record, isDamaged }
  } catch (error) {
    if (!(error instanceof RestartRecordError)) throw error
    logDamage(error)
    return { record: undefined, isDamaged: true }
  }
}

/**
 * Writes records, each of which replaces the previous one; an unchanged record is not written again.
 * @param settled resolves when the blocks of the chain are durable: a lost block is built again from the previous record
 */
export const createRecordStore = (
  recordStorage: Pick<RecordStorage, 'write'>,
  settled: () => Promise<void>,
): RecordStore => {
  const yieldTurn = createYield()
  let last: Uint8Array | undefined
  return {
    write: async record => {
      const value = await runStepsYielding(encodeRestartRecordSteps(record), yieldTurn)
      if (last !== undefined && equalBytes(last, value)) return
      // During the write neither the previous nor the new record is known to be stored.
      last = undefined
      await settled()
      await recordStorage.write(value)
      last = value
    },
  }
}
