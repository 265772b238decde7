import { errorText } from '../../../core/text/errorText.ts'
import type { RestartRecord } from '../../../core/qbft/restart/restartRecord.ts'
import type { Log } from '../../logging/log.ts'
import type { RecordStore } from './recordStore.ts'

/** Writes the record of signed messages, and retries a record whose write failed. */
export type RecordWriter = {
  /** True while the newest record is not durable: until it is, this validator sends no signature. */
  readonly isPending: () => boolean
  /** Replaces the record. */
  readonly write: (record: RestartRecord) => Promise<void>
  /** Retries the record whose write failed, if any. */
  readonly retry: () => Promise<void>
  /** Why this validator sends no signatures; undefined while its record can be written. */
  readonly failure: () => string | undefined
}

const FAILED = 'The record of signed messages cannot be written, so this validator sends no signatures: '

export const createRecordWriter = (records: RecordStore, log: Log): RecordWriter => {
  let pending: RestartRecord | undefined
  let failure: string | undefined

  const retry = async (): Promise<void> => {
    if (pending === undefined) return
    try {
      await records.write(pending)
      pending = undefined
      if (failure !== undefined)
        log.info('The record of signed messages can be written again: this validator sends its signatures')
      failure = undefined
    } catch (error) {
      // Logged once: every further message fails in the same way.
      if (failure === undefined) log.error(`${FAILED}{error}`, { error })
      failure = `${FAILED}${errorText(error)}`
    }
  }

  return {
    isPending: () => pending !== undefined,
    write: record => {
      pending = record
      return retry()
    },
    retry,
    failure: () => failure,
  }
}
