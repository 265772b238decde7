import type { Hash } from '../../core/bytes/bytes.ts'
import { toBareHex } from '../../core/bytes/hex.ts'

/** Blocks that are requested, or not yet imported, at a time. */
const WANTED_MAX = 64
const ANNOUNCERS_MAX = 32
/** The next announcer is asked, too, after this. */
const ANSWER_TIMEOUT_MS = 3000
/** Once all announcers were asked, wait for a late answer: a block of 16 MB takes this long at 4 Mbit/s. */
const LATE_ANSWER_MS = 32_000
/** A validator of the next block gets it from consensus within this time, without a request. */
const CONSENSUS_WAIT_MS = 250

type Wanted = {
  readonly hash: Hash
  /** Announcers that were not asked yet, the next one first. */
  readonly announcers: string[]
  /** All announcers: each is asked once. */
  readonly known: Set<string>
  /** Who was asked and has not answered. */
  readonly asked: Set<string>
  receivedFrom: string | undefined
  /** All announcers were asked, and none answered in time. */
  isLate: boolean
  /** Asks the next announcer or, where none is left, gives the block up. */
  timer: ReturnType<typeof setTimeout> | undefined
}

export type WantedBlocks = {
  /** An announcement of a block that this node lacks. `takesPart`: consensus is expected to deliver it. */
  announced(id: string, hash: Hash, takesPart: boolean): void
  /** Returns true when the block was requested from this peer and has not arrived from another. */
  received(id: string, hash: Hash): boolean
  /** The node has the block. */
  forget(key: string): void
  /** Blocks of this peer were wrong: requests the same ones from others. */
  distrust(id: string): void
  gone(id: string): void
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
  const [oldest] = wanted.keys()
  if (wanted.size > WANTED_MAX && oldest !== undefined) forget(context, oldest)
  return entry
}

/** Asks the announcers in turn until one answers: over a slow link the first may answer after others were asked. */
const askNext = (context: Context, key: string, entry: Wanted): void => {
  clearTimeout(entry.timer)
  entry.receivedFrom = undefined
  entry.isLate = false
  for (let id = entry.announcers.shift(); id !== undefined; id = entry.announcers.shift()) {
    if (!context.request(id, entry.hash)) continue
    entry.asked.add(id)
    entry.timer = setTimeout(() => askNext(context, key, entry), ANSWER_TIMEOUT_MS)
    return
  }
  if (entry.asked.size === 0) return forget(context, key)
  entry.isLate = true
  entry.timer = setTimeout(() => forget(context, key), LATE_ANSWER_MS)
}

/** Repeated announcements count once, and keep no other announcer out. */
const addAnnouncer = ({ announcers, known }: Wanted, id: string): void => {
  if (known.has(id) || known.size >= ANNOUNCERS_MAX) return
  known.add(id)
  announcers.push(id)
}

const announced = (context: Context, id: string, hash: Hash, takesPart: boolean): void => {
  const key = toBareHex(hash)
  const entry = context.wanted.get(key)
  if (entry !== undefined) {
    addAnnouncer(entry, id)
    if (entry.isLate && entry.announcers.length > 0) askNext(context, key, entry)
    return
  }
  const created = want(context, key, hash.slice())
  addAnnouncer(created, id)
  if (takesPart) created.timer = setTimeout(() => askNext(context, key, created), CONSENSUS_WAIT_MS)
  else askNext(context, key, created)
}

const received = ({ wanted }: Context, id: string, hash: Hash): boolean => {
  const entry = wanted.get(toBareHex(hash))
  if (entry === undefined || entry.receivedFrom !== undefined || !entry.asked.delete(id)) return false
  clearTimeout(entry.timer)
  entry.isLate = false
  entry.receivedFrom = id
  return true
}

/** Announced blocks that this node lacks, and whom to request them from. */
export const createWantedBlocks = (request: Context['request']): WantedBlocks => {
  const context: Context = { wanted: new Map(), request }
  const { wanted } = context
  return {
    announced: (id, hash, takesPart) => announced(context, id, hash, takesPart),
    received: (id, hash) => received(context, id, hash),
    forget: key => forget(context, key),
    distrust: id => {
      for (const [key, entry] of wanted) if (entry.receivedFrom === id) askNext(context, key, entry)
    },
    gone: id => {
      for (const [key, entry] of wanted)
        if (entry.asked.delete(id) && entry.receivedFrom === undefined) askNext(context, key, entry)
    },
    stop: () => {
      for (const { timer } of wanted.values()) clearTimeout(timer)
      wanted.clear()
    },
  }
}
