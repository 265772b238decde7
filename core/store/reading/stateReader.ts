import { EMPTY_BYTES, equalBytes } from '../../bytes/bytes.ts'
import { EMPTY_CODE_HASH } from '../../crypto/constants.ts'
import type { StateReader } from '../../state/account.ts'
import { StoreCorruption } from '../checksum.ts'
import { accountCodec, slotCodec, type ValueCodec } from '../codec/stateValues.ts'
import { changeAfter } from '../views/valueHistory.ts'
import { requireStateKept } from '../historyPruned.ts'
import { accountKey, codeKey, pastKey, slotKey } from '../keys.ts'
import type { ChainMemory } from '../chainMemory.ts'
import type { Memtable } from '../flushing/memtable.ts'
import type { Versions } from '../views/versions.ts'
import { historyOfRecord, type StateRecord, valueOfRecord } from '../views/stateRecord.ts'

/** The state after block `number`, at or before the head, independent of later commits. */
export const createStateReader = (memory: ChainMemory, number: number): StateReader => {
  const { views } = memory
  const accountOf = (key: string): StateRecord => views.account(key)
  const slotOf = (key: string): StateRecord => views.slot(key)
  const pageOf = (key: string): Uint8Array => views.historyPage(key)

  const valueAt = <Value>(
    codec: ValueCodec<Value>,
    recordOf: (key: string) => StateRecord,
    versionsOf: (memtable: Memtable) => Versions<Value>,
    key: string,
  ): Value => {
    requireStateKept(memory, number)
    const active = versionsOf(memory.active)
    const recent = active.find(key, number)
    if (recent !== undefined && !active.isBefore(recent)) return active.valueOf(recent)
    const immutable = memory.immutable === undefined ? undefined : versionsOf(memory.immutable)
    const flushed = immutable?.find(key, number)
    if (immutable !== undefined && flushed !== undefined && !immutable.isBefore(flushed))
      return immutable.valueOf(flushed)
    if (number < views.flushedHeight) {
      const change = changeAfter(key, codec, historyOfRecord(recordOf(key), codec), number, pageOf)
      if (change !== undefined) return change.before
    }
    // Only later blocks changed it: the value is the one before the first change.
    if (immutable !== undefined && flushed !== undefined) return immutable.valueOf(flushed)
    if (recent !== undefined) return active.valueOf(recent)
    return valueOfRecord(recordOf(key), codec)
  }

  const isForeign = number < memory.forkBlock
  const foreign = <Value>(codec: ValueCodec<Value>, recordOf: (key: string) => StateRecord, key: string) =>
    valueOfRecord(recordOf(pastKey(key, number)), codec)

  return {
    account: address => {
      const key = accountKey(address)
      return isForeign
        ? foreign(accountCodec, accountOf, key)
        : valueAt(accountCodec, accountOf, memtable => memtable.accounts, key)
    },
    storage: (address, { incarnation }, slot) => {
      const key = slotKey(address, incarnation, slot)
      return isForeign
        ? foreign(slotCodec, slotOf, key)
        : valueAt(slotCodec, slotOf, memtable => memtable.slots, key)
    },
    code: codeHash => {
      if (equalBytes(codeHash, EMPTY_CODE_HASH)) return EMPTY_BYTES
      const key = codeKey(codeHash)
      const code = memory.active.codes.get(key) ?? memory.immutable?.codes.get(key) ?? views.code(key)
      if (code === undefined) throw new StoreCorruption(key, number, 'it is missing')
      return code
    },
  }
}

/** A read of the state after a block that is not on the chain. */
export class UnknownBlock extends Error {
  override readonly name = 'UnknownBlock'
  readonly code = 'UNKNOWN_BLOCK'
  constructor(number: bigint, head: bigint | undefined) {
    super(`there is no block ${number}: ${head === undefined ? 'the chain is empty' : `the head is ${head}`}`)
  }
}
