import type { RestartRecord } from '../../../core/qbft/restart/restartRecord.ts'
import { decodeRestartRecord, RestartRecordError } from '../../../core/qbft/restart/restartRecordCodec.ts'
import type { KeyValueStore } from '../../../core/store/keyvalue/keyvalue.ts'
import type { Log } from '../../logging/log.ts'
import { openRecordFile, RECORD_KEY, type RecordStorage, recordInStorage } from './recordFile.ts'
import type { RecordOwner } from './validatorFolder.ts'

type Storage = Pick<KeyValueStore, 'durability' | 'get' | 'setDurably'>

/** Undefined if the bytes are not a record of this release or were not written completely. */
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

/** Moves the record of an earlier release from the storage to the file, unless the file has a later one. */
const takeOver = async (recordStorage: RecordStorage, storage: Storage, log: Log): Promise<boolean> => {
  const bytes = await storage.get(RECORD_KEY)
  if (bytes === undefined) return false
  const old = decoded(bytes)
  if (old !== undefined && isLater(old, decoded((await recordStorage.read()).bytes))) {
    await recordStorage.write(bytes)
    log.info('Moved the record of signed messages to its own file')
  }
  await storage.setDurably({ key: RECORD_KEY, value: undefined })
  return true
}

/**
 * Opens the record of signed messages: its own files in the data path, or the storage if that is in memory, because a record
 * that outlives its chain would keep the validator from signing.
 * @throws errors of the file system and the storage
 */
export const openRecord = async (
  dataPath: string,
  owner: RecordOwner,
  storage: Storage,
  log: Log,
): Promise<RecordStorage> => {
  if (storage.durability === 'none') return recordInStorage(storage)
  const open = (): RecordStorage => openRecordFile(dataPath, owner, bytes => decoded(bytes) !== undefined)
  const recordStorage = open()
  if (!(await takeOver(recordStorage, storage, log))) return recordStorage
  // Reopen to read what was written.
  await recordStorage.close()
  return open()
}
