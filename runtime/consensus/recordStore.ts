import { equalBytes } from '../../core/bytes/bytes.ts'
import type { RestartRecord } from '../../core/qbft/restartRecord.ts'
import {
  decodeRestartRecord,
  encodeRestartRecordSteps,
  RestartRecordError,
} from '../../core/qbft/restartRecordCodec.ts'
import type { KeyValueStore } from '../../core/store/keyvalue.ts'
import { withPauses } from '../../core/steps.ts'
import type { Log } from '../logging/log.ts'
import { createSlice } from '../slice.ts'

/** Beside the keys of the chain (core/store/keys.ts). */
const RECORD_KEY = 'qbft:record'

export type RecordStore = {
  /** Resolves when it is as durable as the storage can make it. @throws what the storage throws */
  write(record: RestartRecord): Promise<void>
}

/**
 * What this validator signed before it stopped. One that cannot be read is as bad as none, but shows that something was
 * signed: the node then signs nothing at the height that it was in, `headNumber + 1` at most.
 */
export const readRestartRecord = async (
  storage: Pick<KeyValueStore, 'get'>,
  headNumber: bigint,
  log: Log,
): Promise<RestartRecord | undefined> => {
  const bytes = await storage.get(RECORD_KEY)
  if (bytes === undefined) return undefined
  try {
    return decodeRestartRecord(bytes)
  } catch (error) {
    if (!(error instanceof RestartRecordError)) throw error
    const sequence = headNumber + 2n
    log.error('{error}: this one signs nothing before block {sequence}', { error, sequence })
    return {
      sequence,
      round: 0,
      proposed: undefined,
      prepared: undefined,
      committed: undefined,
      certificate: undefined,
    }
  }
}

/**
 * Writes records, each in place of the one before; one that is there already is not written again.
 * @param settled resolves when the blocks of the chain are durable: one that got lost is made again from the record before
 */
export const createRecordStore = (
  storage: Pick<KeyValueStore, 'setDurably'>,
  settled: () => Promise<void>,
): RecordStore => {
  const pause = createSlice()
  let last: Uint8Array | undefined
  return {
    write: async record => {
      const value = await withPauses(encodeRestartRecordSteps(record), pause)
      if (last !== undefined && equalBytes(last, value)) return
      // Until it is known to be there, neither is what was there before.
      last = undefined
      await settled()
      await storage.setDurably({ key: RECORD_KEY, value })
      last = value
    },
  }
}
