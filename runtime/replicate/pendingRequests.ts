import type { KeyValueStore } from '../../core/store/keyvalue/keyvalue.ts'

/** The requests to a store that it has not answered yet. */
export type PendingRequests = {
  /** Counts a request as pending until it settles. Returns its promise. */
  readonly during: <Value>(request: Promise<Value>) => Promise<Value>
  /** The store, whose reads and conditional writes are counted. */
  readonly watch: (kv: KeyValueStore) => KeyValueStore
  /** Whole seconds since the oldest pending request was sent; 0 without one. */
  readonly seconds: () => number
  /** Forgets the requests of a closed connection. */
  readonly forget: () => void
}

export const createPendingRequests = (nowMs: () => number = () => performance.now()): PendingRequests => {
  /** When each was sent, the oldest first. */
  const sentMs = new Map<object, number>()
  const during = async <Value>(request: Promise<Value>): Promise<Value> => {
    const key = {}
    sentMs.set(key, nowMs())
    try {
      return await request
    } finally {
      sentMs.delete(key)
    }
  }
  return {
    during,
    watch: kv => {
      const { getMany, setIf } = kv
      return {
        ...kv,
        get: key => during(kv.get(key)),
        getMany: getMany && (keys => during(getMany(keys))),
        setIf: setIf && ((condition, entries) => during(setIf(condition, entries))),
      }
    },
    seconds: () => {
      const [oldestMs] = sentMs.values()
      return oldestMs === undefined ? 0 : Math.floor((nowMs() - oldestMs) / 1000)
    },
    forget: () => sentMs.clear(),
  }
}
