import { equalBytes } from '../../../core/bytes/bytes.ts'
import type { RestartRecord } from '../../../core/qbft/restart/restartRecord.ts'
import {
  decodeRestartRecord,
  encodeRestartRecordSteps,
  RestartRecordError,
} from '../../../core/qbft/restart/restartRecordCodec.ts'
import { runStepsYielding } from '../../../core/steps.ts'
import type { Log } from '../../logging/log.ts'
import { createSlice } from '../../schedule.ts'
import type { RecordPlace } from './recordFile.ts'

export type RecordStore = {
  /** Resolves when it is as durable as the place can make it. @throws what the place throws */
  write(record: RestartRecord): Promise<void>
}

/** What this validator knows of what it signed before it stopped. */
export type Memory = {
  readonly record: RestartRecord | undefined
  /** A later record than this one may have been lost. */
  readonly isDamaged: boolean
}

/** A chain that was deleted comes back from the peers; one that is begun anew by all of them never gets so far. */
const tellBehind = ({ sequence }: RestartRecord, headNumber: bigint, log: Log): void => {
  if (sequence > headNumber + 1n)
    log.warn(
      'This validator has signed for block {sequence}, and its chain ends with block {headNumber}: it signs nothing until it has the blocks before. Where all nodes begin the chain anew, stop it and delete the folder validator in its data path.',
      { sequence, headNumber },
    )
}

/** What this validator signed before it stopped; `isDamaged` when it cannot be known for certain. */
export const readRestartRecord = async (
  place: RecordPlace,
  headNumber: bigint,
  log: Log,
): Promise<Memory> => {
  const { bytes, isDamaged } = await place.read()
  const tell = (error: unknown): void =>
    log.error(
      '{error}: this validator signs nothing until a quorum of validators has told where they are, and then only in later rounds',
      { error },
    )
  try {
    const record = bytes === undefined ? undefined : decodeRestartRecord(bytes)
    if (record !== undefined) tellBehind(record, headNumber, log)
    if (isDamaged)
      tell(
        new RestartRecordError(
          'one of its two files is damaged, was not written whole, or is a copy of another file',
        ),
      )
    return { record, isDamaged }
  } catch (error) {
    if (!(error instanceof RestartRecordError)) throw error
    tell(error)
    return { record: undefined, isDamaged: true }
  }
}

/**
 * Writes records, each in place of the one before; one that is there already is not written again.
 * @param settled resolves when the blocks of the chain are durable: one that got lost is made again from the record before
 */
export const createRecordStore = (
  place: Pick<RecordPlace, 'write'>,
  settled: () => Promise<void>,
): RecordStore => {
  const pause = createSlice()
  let last: Uint8Array | undefined
  return {
    write: async record => {
      const value = await runStepsYielding(encodeRestartRecordSteps(record), pause)
      if (last !== undefined && equalBytes(last, value)) return
      // Until it is known to be there, neither is what was there before.
      last = undefined
      await settled()
      await place.write(value)
      last = value
    },
  }
}
