import { equalBytes } from '../../core/bytes/bytes.ts'
import { REPLICA_KEY } from '../../core/store/keys.ts'
import type { KeyValueStore } from '../../core/store/keyvalue/keyvalue.ts'
import { decodeReplicaHead, heightOf } from '../../core/store/replica/replicaHead.ts'
import type { ReplicaSnapshot } from '../../core/store/replica/readStore.ts'
import { NotProved } from '../../core/verify/notProved.ts'

/** Keys whose values change: accounts and slots. */
const CHANGES = /^[as]:/

/** Keys whose absence means something: no account, no slot, no block or transaction with that hash. */
const MAY_BE_ABSENT = /^[asbt]:/

/**
 * Guards the reads of a shared store that may have lost the blocks which a reader answers from, because it was emptied or is
 * filled again from an earlier block. There a missing account would read as an empty one, and a transaction as unknown. A batch
 * of such reads therefore has the head of the store as well, in the same round trip.
 * @param current the head that the reader answers from
 */
export const withHeadGuard = (
  kv: KeyValueStore,
  current: () => ReplicaSnapshot | undefined,
): KeyValueStore => {
  /** A stored head that has the block of `current`. */
  let sufficient: Uint8Array | undefined
  let sufficientFor: ReplicaSnapshot | undefined
  const requireHead = (stored: Uint8Array | undefined): void => {
    const own = current()
    if (own === undefined) return
    if (stored !== undefined && sufficientFor === own && sufficient !== undefined)
      if (equalBytes(stored, sufficient)) return
    const found = stored === undefined ? undefined : decodeReplicaHead(stored)
    const isEnough =
      found !== undefined &&
      heightOf(found) >= heightOf(own) &&
      equalBytes(found.genesisHash, own.genesisHash)
    if (!isEnough)
      throw new NotProved(
        `block ${own.head.header.number}`,
        'the shared store does not have it any more, and answers follow once it is filled again',
      )
    sufficient = stored
    sufficientFor = own
  }
  const { getMany } = kv
  return {
    ...kv,
    getSync: undefined,
    get: async key => {
      const value = await kv.get(key)
      if (CHANGES.test(key) || (value === undefined && MAY_BE_ABSENT.test(key)))
        requireHead(await kv.get(REPLICA_KEY))
      return value
    },
    getMany:
      getMany &&
      (async keys => {
        if (!keys.some(key => MAY_BE_ABSENT.test(key))) return getMany(keys)
        const values = await getMany([...keys, REPLICA_KEY])
        requireHead(values[keys.length])
        return values.slice(0, keys.length)
      }),
  }
}
