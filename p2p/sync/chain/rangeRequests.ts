import { DecodeError } from '../../../core/block/codec/error.ts'
import { NetworkError, textOf } from '../../error.ts'
import type { Network } from '../../network.ts'
import type { CreateYield } from '../../yieldTurn.ts'
import { decodeBlockYielding } from './decodeBlock.ts'
import type { PeerHead } from './peerHeads.ts'
import type { Range, Ranges } from './rangeQueue.ts'

/** The longest RLP of a block that is looked at: what a proposal may have. From Osaka on none has more than 8 MiB (EIP-7934). */
export const BLOCK_BYTES_MAX = 16 * 1024 * 1024

/** A peer that sends nothing for so long is not waited for. */
const SILENT_MS = 10_000

/** What is imported next is not waited for longer than this where another peer has nothing to do. */
const SLOW_MS = 3_000

/** Blocks asked for at once: some tens of milliseconds of importing, so that a wrong one costs little. */
const RANGE_BLOCKS_MAX = 256

/** Bytes asked for at once, by the average of what came before. */
const RANGE_BYTES = 4 * 1024 * 1024

/** Bytes that arrived and are not imported, or are expected; above them nobody is asked for more. */
const WINDOW_BYTES = 32 * 1024 * 1024

/** What a block is taken for before one has arrived. */
const BLOCK_BYTES_GUESS = 1_024

/** Peers asked at once: more do not make the import any faster. */
const REQUESTS_MAX = 6

/** How a request ended. */
export type Ending =
  | { readonly kind: 'delivered' }
  /** Nothing, though it claims to have it. */
  | { readonly kind: 'nothing'; readonly number: bigint }
  /** Something else than was asked for. */
  | { readonly kind: 'wrong'; readonly detail: string }
  /** It went, was silent or sent too much; who only lost the connection is not to blame. */
  | { readonly kind: 'failed'; readonly detail: string; readonly isToBlame: boolean }
  /** Called off here. */
  | { readonly kind: 'called-off' }

type Request = {
  readonly holder: PeerHead
  readonly range: Range
  readonly controller: AbortController
  readonly startedMs: number
  /** When its last block arrived, or the request began. */
  heardMs: number
}

export type DownloadOptions = {
  readonly network: Network
  readonly ranges: Ranges
  /** Milliseconds. */
  readonly nowMs: () => number
  readonly createYield: CreateYield
  /** A block arrived. */
  readonly onBlock: () => void
  readonly onEnding: (holder: PeerHead, ending: Ending) => void
  /** Another peer is asked in its place. */
  readonly onSlow: (holder: PeerHead) => void
}

export type Download = {
  /** Asks those of these peers who have nothing to do, the first ones first. */
  assign(holders: readonly PeerHead[]): void
  /** Calls off what takes too long; asked while the import has nothing to do. */
  check(holders: readonly PeerHead[]): void
  callOff(key: string): void
  stop(): Promise<void>
}

/** Requests of ranges from several peers at once, one of each. */
export const createDownload = ({
  network,
  ranges,
  nowMs,
  createYield,
  onBlock,
  onEnding,
  onSlow,
}: DownloadOptions): Download => {
  const requests = new Map<string, Request>()
  const running = new Set<Promise<void>>()
  let arrived = { blocks: 0, bytes: 0 }
  let stopped = false

  const blockBytes = (): number =>
    arrived.blocks === 0 ? BLOCK_BYTES_GUESS : Math.ceil(arrived.bytes / arrived.blocks)

  const rangeBlocks = (): number =>
    Math.max(1, Math.min(RANGE_BLOCKS_MAX, Math.floor(RANGE_BYTES / blockBytes())))

  /** Takes what one peer sends of a range. @throws DecodeError, NetworkError */
  const receive = async (request: Request): Promise<Ending> => {
    const { holder, range, controller } = request
    const first = range.from
    let next = first
    const count = Number(range.to - first)
    for await (const encoded of network.requestBlocks(holder.peer, next, count, controller.signal)) {
      if (controller.signal.aborted) return { kind: 'called-off' }
      request.heardMs = nowMs()
      if (encoded.length > BLOCK_BYTES_MAX)
        return { kind: 'wrong', detail: `${encoded.length} bytes in place of block ${next}` }
      const block = await decodeBlockYielding(encoded, createYield)
      if (controller.signal.aborted) return { kind: 'called-off' }
      if (block.header.number !== next)
        return { kind: 'wrong', detail: `block ${block.header.number} in place of block ${next}` }
      arrived = { blocks: arrived.blocks + 1, bytes: arrived.bytes + encoded.length }
      // It may have come another way meanwhile.
      if (next >= range.from) ranges.add(range, { block, bytes: encoded.length, from: holder })
      next++
      onBlock()
      const enough = ranges.bytes > 2 * WINDOW_BYTES && ranges.first !== range
      if (next >= range.to || enough) return { kind: 'delivered' }
    }
    if (controller.signal.aborted) return { kind: 'called-off' }
    return next > first ? { kind: 'delivered' } : { kind: 'nothing', number: first }
  }

  const ask = async (request: Request): Promise<void> => {
    let ending: Ending
    try {
      ending = await receive(request)
    } catch (error) {
      if (request.controller.signal.aborted) ending = { kind: 'called-off' }
      else if (error instanceof DecodeError) ending = { kind: 'wrong', detail: error.message }
      else {
        const isToBlame = error instanceof NetworkError && error.code !== 'NOT_CONNECTED'
        ending = { kind: 'failed', detail: textOf(error), isToBlame }
      }
    }
    // The stream of an answer that is not read to its end must not stay open.
    request.controller.abort()
    requests.delete(request.holder.key)
    ranges.close(request.range)
    onEnding(request.holder, ending)
  }

  const begin = (holder: PeerHead, range: Range): void => {
    const atMs = nowMs()
    const request = { holder, range, controller: new AbortController(), startedMs: atMs, heardMs: atMs }
    requests.set(holder.key, request)
    const asked: Promise<void> = ask(request).finally(() => running.delete(asked))
    running.add(asked)
  }

  const hasRoom = (): boolean => {
    // The import waits for these, however much of what follows has arrived.
    if (ranges.first !== undefined && !ranges.first.loading && ranges.first.blocks.length === 0) return true
    const expected = requests.size * rangeBlocks() * blockBytes()
    return requests.size < REQUESTS_MAX && ranges.bytes + expected < WINDOW_BYTES
  }

  const isIdle = ({ key }: PeerHead): boolean => !requests.has(key)

  return {
    assign: holders => {
      for (const holder of holders) {
        if (stopped || !hasRoom()) return
        if (!isIdle(holder)) continue
        const range = ranges.open(holder.claimed, rangeBlocks())
        if (range !== undefined) begin(holder, range)
      }
    },
    check: holders => {
      const atMs = nowMs()
      for (const request of requests.values()) {
        if (request.controller.signal.aborted) continue
        if (atMs - request.heardMs >= SILENT_MS) {
          request.controller.abort()
          onEnding(request.holder, {
            kind: 'failed',
            detail: `no block for ${SILENT_MS / 1000} s`,
            isToBlame: true,
          })
          continue
        }
        const holdsUp = ranges.first === request.range && atMs - request.startedMs >= SLOW_MS
        if (!holdsUp || !holders.some(isIdle)) continue
        request.controller.abort()
        onSlow(request.holder)
      }
    },
    callOff: key => requests.get(key)?.controller.abort(),
    stop: async () => {
      stopped = true
      for (const { controller } of requests.values()) controller.abort()
      await Promise.all(running)
    },
  }
}
