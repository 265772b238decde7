import type { RecordImport } from '../../../core/chain/chain.ts'
import { RECORDS_FEATURE } from '../../blocks/records.ts'
import type { Log } from '../../log.ts'
import type { PeerHead } from './peerHeads.ts'

/** The last blocks are executed: so a node finds out before it votes that it executes like the others. */
const EXECUTED_BLOCKS = 64n

/** After this many invalid records the peers are not asked for more. */
const REFUSED_MAX = 3

/** Blocks with their state changes from peers, which are verified by the sealed roots and not executed (`--sync-mode=SNAP`). */
export type RecordSync = {
  readonly importRecord: RecordImport['importRecord']
  readonly log: Log
  imported: number
  refused: number
  /** True once the log says that all blocks are executed. */
  isOff: boolean
}

export const createRecordSync = (importRecord: RecordImport['importRecord'], log: Log): RecordSync => ({
  importRecord,
  log,
  imported: 0,
  refused: 0,
  isOff: false,
})

const turnOff = (sync: RecordSync, reason: string): void => {
  sync.isOff = true
  sync.log.info('From here on each block is fetched and executed (full sync): {reason}', { reason })
}

const offersRecords = ({ peer }: PeerHead): boolean => peer.status.features.includes(RECORDS_FEATURE)

/** The last block whose record is requested from this peer; undefined if none is. */
export const lastRecordOf = (sync: RecordSync | undefined, holder: PeerHead): bigint | undefined =>
  sync === undefined || sync.isOff || !offersRecords(holder) ? undefined : holder.claimed - EXECUTED_BLOCKS

/** Falls back to full sync when no peer that has the next block offers records. */
export const requireRecordHolder = (
  sync: RecordSync | undefined,
  holders: readonly PeerHead[],
  next: bigint,
): void => {
  if (sync === undefined || sync.isOff || holders.length === 0) return
  if (holders.every(({ claimed }) => claimed - EXECUTED_BLOCKS < next)) return
  if (!holders.some(offersRecords)) turnOff(sync, 'no connected peer offers a snapshot')
}

/** Counts an invalid record of a peer. */
export const recordRefused = (sync: RecordSync | undefined): void => {
  if (sync === undefined || sync.isOff) return
  sync.refused++
  if (sync.refused >= REFUSED_MAX) turnOff(sync, `${sync.refused} parts of snapshots of peers were invalid`)
}

export const logRecords = ({ imported, log }: RecordSync): void => {
  if (imported > 0)
    log.info('{blocks} blocks came with their state from peers, verified by the seals and not executed', {
      blocks: imported,
    })
}
