import type { Stream } from '@libp2p/interface'
import { concatBytes, type Hash } from '../core/bytes/bytes.ts'
import { toBareHex, toHex } from '../core/bytes/hex.ts'
import { type ChannelLimits, openChannel } from './channel.ts'
import { NetworkError } from './error.ts'
import { type Link, nameOf } from './link.ts'
import type { NetworkLog } from './network.ts'
import type { PeerTable } from './peerTable.ts'
import { receiveWhenReady } from './receive.ts'
import { createRecentHashes, type RecentHashes } from './recentHashes.ts'
import { createTokenBucket } from './tokenBucket.ts'

/** [code][hash] and, for an announcement, the number in 8 bytes, for an answer the block. */
const ANNOUNCEMENT = 0
const REQUEST = 1
const BLOCK = 2
const HEAD_BYTES = 33

const BLOCK_BYTES_MAX = 16 * 1024 * 1024
/** A peer that is so far behind is better served by ranges. */
const QUEUE: ChannelLimits = { messagesMax: 64, bytesMax: 2 * BLOCK_BYTES_MAX }
/** Blocks kept to be asked for: nobody asks for an older one. */
const SERVED_BLOCKS_MAX = 8
const SERVED_BYTES_MAX = 32 * 1024 * 1024
/** Hashes that one peer is known to have; only the last few are ever looked for. */
const KNOWN_MAX = 256
/** Blocks asked for, or not yet found good, at once. */
const WANTED_MAX = 64
const ANNOUNCERS_MAX = 32
/** The next of those who announced a block is asked, too, after that. */
const ANSWER_TIMEOUT_MS = 3000
/** When all were asked, one of them is still waited for: a block of 16 MB takes so long at 4 Mbit/s. */
const LATE_ANSWER_MS = 32_000
/** Who takes part in consensus makes the block by itself in that time, and nothing has to be sent. */
const CONSENSUS_PATIENCE_MS = 250
/** Ten blocks a second, each announced and asked for, with room to spare. */
const MESSAGES_PER_SECOND = 100
const BYTES_PER_SECOND = 32 * 1024 * 1024

type Wanted = {
  readonly hash: Hash
  /** Who is asked next. */
  readonly announcers: string[]
  /** Everyone who was ever to be asked, each once. */
  readonly heardFrom: Set<string>
  /** Who may yet answer. */
  readonly asked: Set<string>
  receivedFrom: string | undefined
  /** All were asked, and nothing has come in time. */
  isLate: boolean
  /** Until the next one is asked, or, where none is left, until it is given up. */
  timer: ReturnType<typeof setTimeout> | undefined
}

export type BlockExchange = {
  announce(number: bigint, hash: Hash, block: Uint8Array): void
  receive(stream: Stream, link: Link): void
  /** What this peer sent was wrong: the same blocks are asked from others. */
  distrust(id: string): void
  gone(id: string): void
  stop(): void
}

export type BlockExchangeOptions = {
  readonly protocol: string
  readonly table: PeerTable
  readonly log: NetworkLog
  readonly nowMs: () => number
  readonly pause: () => Promise<void>
  /** The number of the own head: what is not above it is not wanted. */
  readonly headNumber: () => bigint
  /** This node sent consensus messages lately. */
  readonly takesPart: () => boolean
  readonly onBlock: (link: Link, block: Uint8Array) => void
  readonly onFlooding: (link: Link) => void
  readonly onFailure: (link: Link, cause: unknown) => void
  readonly onChannelFailure: (link: Link, reason: string) => void
}

/**
 * New blocks: their hashes are told to every peer that is not known to have them, the blocks themselves sent to those
 * who ask. Validators have most blocks already when they hear of them, so that blocks cross the network once.
 */
export const createBlockExchange = (options: BlockExchangeOptions): BlockExchange => {
  const { table, log, nowMs } = options
  const served = new Map<string, Uint8Array>()
  let servedBytes = 0
  /** By peer: hashes of the blocks it is known to have, and of those it was sent. */
  const known = new Map<string, RecentHashes>()
  const sent = new Map<string, RecentHashes>()
  const wanted = new Map<string, Wanted>()

  const hashesOf = (map: Map<string, RecentHashes>, id: string): RecentHashes => {
    const found = map.get(id)
    if (found !== undefined) return found
    const created = createRecentHashes(KNOWN_MAX)
    map.set(id, created)
    return created
  }
  const knownTo = (id: string): RecentHashes => hashesOf(known, id)
  const servedTo = (id: string): RecentHashes => hashesOf(sent, id)

  const send = (link: Link, code: number, hash: Hash, rest: Uint8Array): void => {
    link.blockChannel ??= openChannel(link.connection, options.protocol, {
      limits: QUEUE,
      pause: options.pause,
      onFailure: reason => options.onChannelFailure(link, reason),
    })
    link.blockChannel.send(concatBytes(Uint8Array.of(code), hash), rest)
  }

  const serve = (key: string, block: Uint8Array): void => {
    if (served.has(key)) return
    served.set(key, block)
    servedBytes += block.length
    for (const [oldest, bytes] of served) {
      if (served.size <= SERVED_BLOCKS_MAX && (servedBytes <= SERVED_BYTES_MAX || served.size === 1)) return
      served.delete(oldest)
      servedBytes -= bytes.length
    }
  }

  const forget = (key: string): void => {
    clearTimeout(wanted.get(key)?.timer)
    wanted.delete(key)
  }

  const want = (key: string, hash: Hash): Wanted => {
    const entry: Wanted = {
      hash,
      announcers: [],
      heardFrom: new Set(),
      asked: new Set(),
      receivedFrom: undefined,
      isLate: false,
      timer: undefined,
    }
    wanted.set(key, entry)
    const [oldest] = wanted.keys()
    if (wanted.size > WANTED_MAX && oldest !== undefined) forget(oldest)
    return entry
  }

  /** Asks the next of those who announced it, until one answers: on a slow link the first may do so after others were asked. */
  const ask = (key: string, entry: Wanted): void => {
    clearTimeout(entry.timer)
    entry.receivedFrom = undefined
    entry.isLate = false
    for (let id = entry.announcers.shift(); id !== undefined; id = entry.announcers.shift()) {
      const link = table.link(id)
      if (link === undefined) continue
      entry.asked.add(id)
      entry.timer = setTimeout(() => ask(key, entry), ANSWER_TIMEOUT_MS)
      send(link, REQUEST, entry.hash, new Uint8Array(0))
      return
    }
    if (entry.asked.size === 0) return forget(key)
    entry.isLate = true
    entry.timer = setTimeout(() => forget(key), LATE_ANSWER_MS)
  }

  /** One that announces it again and again is asked once, and keeps no other from being asked. */
  const heard = ({ announcers, heardFrom }: Wanted, id: string): void => {
    if (heardFrom.has(id) || heardFrom.size >= ANNOUNCERS_MAX) return
    heardFrom.add(id)
    announcers.push(id)
  }

  const onAnnouncement = (link: Link, hash: Hash, rest: Uint8Array): void => {
    if (rest.length !== 8) throw new NetworkError('BAD_MESSAGE', 'an announcement without a number')
    const number = new DataView(rest.buffer, rest.byteOffset, 8).getBigUint64(0)
    const key = toBareHex(hash)
    knownTo(link.id).add(hash)
    if (served.has(key) || number <= options.headNumber()) return
    const entry = wanted.get(key)
    if (entry !== undefined) {
      heard(entry, link.id)
      if (entry.isLate && entry.announcers.length > 0) ask(key, entry)
      return
    }
    const created = want(key, hash.slice())
    heard(created, link.id)
    if (options.takesPart()) created.timer = setTimeout(() => ask(key, created), CONSENSUS_PATIENCE_MS)
    else ask(key, created)
  }

  const onBlock = (link: Link, hash: Hash, block: Uint8Array): void => {
    const entry = wanted.get(toBareHex(hash))
    // It came by another way, or after its time.
    if (entry === undefined || entry.receivedFrom !== undefined || !entry.asked.delete(link.id)) return
    clearTimeout(entry.timer)
    entry.isLate = false
    entry.receivedFrom = link.id
    log.debug('Block {hash} came from {peer}', { hash: toHex(hash), peer: nameOf(link) })
    options.onBlock(link, block)
  }

  const onFrame = (link: Link, frame: Uint8Array): void => {
    if (frame.length < HEAD_BYTES)
      throw new NetworkError('BAD_MESSAGE', `${frame.length} bytes about a block`)
    const hash = frame.subarray(1, HEAD_BYTES)
    const rest = frame.subarray(HEAD_BYTES)
    switch (frame[0]) {
      case ANNOUNCEMENT:
        return onAnnouncement(link, hash, rest)
      case REQUEST: {
        const key = toBareHex(hash)
        const block = served.get(key)
        // Once to each: a request is small, a block is not.
        if (block !== undefined && servedTo(link.id).add(hash)) send(link, BLOCK, hash.slice(), block)
        return
      }
      case BLOCK:
        return onBlock(link, hash, rest)
      default:
        throw new NetworkError('BAD_MESSAGE', `no message about a block has code ${frame[0]}`)
    }
  }

  return {
    announce: (number, hash, block) => {
      const key = toBareHex(hash)
      serve(key, block)
      forget(key)
      const rest = new Uint8Array(8)
      new DataView(rest.buffer).setBigUint64(0, number)
      for (const { links } of table.all()) {
        const [link] = links
        if (link !== undefined && knownTo(link.id).add(hash)) send(link, ANNOUNCEMENT, hash, rest)
      }
    },
    receive: (stream, link) => {
      const rate = {
        messages: createTokenBucket(MESSAGES_PER_SECOND, 2 * MESSAGES_PER_SECOND, nowMs),
        bytes: createTokenBucket(BYTES_PER_SECOND, 4 * BLOCK_BYTES_MAX, nowMs),
      }
      receiveWhenReady(stream, link, {
        bytesMax: HEAD_BYTES + BLOCK_BYTES_MAX,
        rate: { now: () => rate, onExceeded: () => options.onFlooding(link) },
        onHeard: () => {
          link.heardAtMs = nowMs()
        },
        onFrame: frame => onFrame(link, frame),
        onFailure: cause => options.onFailure(link, cause),
      })
    },
    distrust: id => {
      for (const [key, entry] of wanted) if (entry.receivedFrom === id) ask(key, entry)
    },
    gone: id => {
      known.delete(id)
      sent.delete(id)
      for (const [key, entry] of wanted)
        if (entry.asked.delete(id) && entry.receivedFrom === undefined) ask(key, entry)
    },
    stop: () => {
      for (const { timer } of wanted.values()) clearTimeout(timer)
      wanted.clear()
    },
  }
}
