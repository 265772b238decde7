import type { Hash } from '../../core/bytes/bytes.ts'
import { toBareHex } from '../../core/bytes/hex.ts'
import { evictOldest } from '../../core/collections/boundedMap.ts'

/** Blocks that are requested or not yet imported. */
const WANTED_MAX = 64
const ANNOUNCERS_MAX = 32
/** After this without an answer the next announcer is asked as well. */
const ANSWER_TIMEOUT_MS = 3000
/** Wait for a late answer after all announcers were asked: a block of 16 MB takes this long at 4 Mbit/s. */
const LATE_ANSWER_MS = 32_000
/** Delay of the first request on a node that takes part in consensus, which mostly delivers the block. */
const CONSENSUS_WAIT_MS = 250

type Wanted = {
  readonly hash: Hash
  /** Announcers that were not asked yet, the next one first. */
  readonly announcers: string[]
  /** All announcers, asked or not: each is asked once. */
  readonly known: Set<string>
  /** Announcers that were asked and have not answered. */
  readonly asked: Set<string>
  receivedFrom: string | undefined
  /** All announcers were asked, and none answered in time. */
  isLate: boolean
  /** Asks the next announcer, or drops the entry if none is left. */
  timer: ReturnType<typeof setTimeout> | undefined
}

export type WantedBlocks = {
  /** Handles the announcement of a block that this node lacks. `participates`: consensus is expected to deliver it. */
  announced(id: string, hash: Hash, participates: boolean): void
  /** Returns true when the block was requested from this peer and has not arrived from another. */
  received(id: string, hash: Hash): boolean
  /** Drops a block that the node has. */
  forget(key: string): void
  /** Requests the blocks that this peer sent from other announcers: its blocks were wrong. */
  distrust(id: string): void
  disconnected(id: string): void
  stop(): void
}

type Context = {
  readonly wanted: Map<string, Wanted>
  /** Sends a request; false when the peer is not connected. */
  readonly request: (id: string, hash: Hash) => boolean
}

const forget = ({ wanted }: Context, key: string): void => {
  clearTimeout(wanted.get(key)?.timer)
  wanted.delete(key)
}

const want = (context: Context, key: string, hash: Hash): Wanted => {
  const { wanted } = context
  const entry: Wanted = {
    hash,
    announcers: [],
    known: new Set(),
    asked: new Set(),
    receivedFrom: undefined,
    isLate: false,
    timer: undefined,
  }
  wanted.set(key, entry)
  evictOldest(wanted, WANTED_MAX, oldest => forget(context, oldest))
  return entry
}

/** Asks the announcers in turn until one answers: over a slow link the first may answer after others were asked. */
const requestNext = (context: Context, key: string, entry: Wanted): void => {
  clearTimeout(entry.timer)
  entry.receivedFrom = undefined
  entry.isLate = false
  for (let id = entry.announcers.shift(); id !== undefined; id = entry.announcers.shift()) {
    if (!context.request(id, entry.hash)) continue
    entry.asked.add(id)
    entry.timer = setTimeout(() => requestNext(context, key, entry), ANSWER_TIMEOUT_MS)
    return
  }
  if (entry.asked.size === 0) return forget(context, key)
  entry.isLate = true
  entry.timer = setTimeout(() => forget(context, key), LATE_ANSWER_MS)
}

/** Repeated announcements count once: they cannot keep other announcers out. */
const addAnnouncer = ({ announcers, known }: Wanted, id: string): void => {
  if (known.has(id) || known.size >= ANNOUNCERS_MAX) return
  known.add(id)
  announcers.push(id)
}

const announced = (context: Context, id: string, hash: Hash, participates: boolean): void => {
  const key = toBareHex(hash)
  const entry = context.wanted.get(key)
  if (entry !== undefined) {
    addAnnouncer(entry, id)
    if (entry.isLate && entry.announcers.length > 0) requestNext(context, key, entry)
    return
  }
  const created = want(context, key, hash.slice())
  addAnnouncer(created, id)
  if (participates) created.timer = setTimeout(() => requestNext(context, key, created), CONSENSUS_WAIT_MS)
  else requestNext(context, key, created)
}

const received = ({ wanted }: Context, id: string, hash: Hash): boolean => {
  const entry = wanted.get(toBareHex(hash))
  if (entry === undefined || entry.receivedFrom !== undefined || !entry.asked.delete(id)) return false
  clearTimeout(entry.timer)
  entry.isLate = false
  entry.receivedFrom = id
  return true
}

/** Requests announced blocks that this node lacks from their announcers. */
export const createWantedBlocks = (request: Context['request']): WantedBlocks => {
  const context: Context = { wanted: new Map(), request }
  const { wanted } = context
  return {
    announced: (id, hash, participates) => announced(context, id, hash, participates),
    received: (id, hash) => received(context, id, hash),
    forget: key => forget(context, key),
    distrust: id => {
      for (const [key, entry] of wanted) if (entry.receivedFrom === id) requestNext(context, key, entry)
    },
    disconnected: id => {
      for (const [key, entry] of wanted)
        if (entry.asked.delete(id) && entry.receivedFrom === undefined) requestNext(context, key, entry)
    },
    stop: () => {
      for (const { timer } of wanted.values()) clearTimeout(timer)
      wanted.clear()
    },
  }
}
