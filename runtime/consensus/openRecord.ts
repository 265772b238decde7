import type { RestartRecord } from '../../core/qbft/restartRecord.ts'
import { decodeRestartRecord, RestartRecordError } from '../../core/qbft/restartRecordCodec.ts'
import type { KeyValueStore } from '../../core/store/keyvalue.ts'
import type { Log } from '../logging/log.ts'
import {
  openRecordFile,
  RECORD_KEY,
  type RecordOwner,
  type RecordPlace,
  recordInStorage,
} from './recordFile.ts'

type Storage = Pick<KeyValueStore, 'durability' | 'get' | 'setDurably'>

/** Undefined where the bytes are no record of this release, or were not written to their end. */
const decoded = (bytes: Uint8Array | undefined): RestartRecord | undefined => {
  if (bytes === undefined) return undefined
  try {
    return decodeRestartRecord(bytes)
  } catch (error) {
    if (error instanceof RestartRecordError) return undefined
    throw error
  }
}

const isLater = (a: RestartRecord, b: RestartRecord | undefined): boolean =>
  b === undefined || a.sequence > b.sequence || (a.sequence === b.sequence && a.round > b.round)

/** The record that an earlier release kept with the views moves into the file, once; the later of two stays. */
const takeOver = async (place: RecordPlace, storage: Storage, log: Log): Promise<boolean> => {
  const bytes = await storage.get(RECORD_KEY)
  if (bytes === undefined) return false
  const old = decoded(bytes)
  if (old !== undefined && isLater(old, decoded((await place.read()).bytes))) {
    await place.write(bytes)
    log.info('The record of what this validator signed has a file of its own now')
  }
  await storage.setDurably({ key: RECORD_KEY, value: undefined })
  return true
}

/**
 * Opens the place where this validator records what it signs: files of its own in the data path; the storage itself where that
 * ends with the process, for a record that outlives its chain would keep the validator from signing.
 * @throws what the file system and the storage throw
 */
export const openRecord = async (
  dataPath: string,
  owner: RecordOwner,
  storage: Storage,
  log: Log,
): Promise<RecordPlace> => {
  if (storage.durability === 'none') return recordInStorage(storage)
  const open = (): RecordPlace => openRecordFile(dataPath, owner, bytes => decoded(bytes) !== undefined)
  const place = open()
  if (!(await takeOver(place, storage, log))) return place
  // Read again: it was written.
  await place.close()
  return open()
}
