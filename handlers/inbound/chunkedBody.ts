import type { Scheduler } from '../../core/scheduler.ts'
import type { BodyUnits } from './bodyUnits.ts'
import { createDeadlines, type Deadlines } from './deadlines.ts'
import { type ClaimBytes, SHORT_BODY_BYTES } from './inboundLimits.ts'
import { type ChunkReader, openChunkReader } from './chunkReader.ts'
import { BUSY, DISCONNECTED, LATE, type NoBody, TOO_LONG, TOO_MANY_CHUNKS } from './noBody.ts'
import { hasRequestTimers } from './requestTimers.ts'

/** Parts of the idle time after which a chunk starts it again: a timer for each chunk would cost as much as reading it. */
const IDLE_PARTS = 20

/**
 * Time between the answer to a body that is not read and the end of its reading. Deno receives the rest of a body whose reader is
 * cancelled before the answer has closed the connection.
 */
const CANCEL_MS = 100

type Options = {
  readonly bytesMax: number
  /** Time for a whole body, and for a chunk of it. */
  readonly timeoutMs: number
  readonly idleMs: number
  readonly idleDeadlines: Deadlines
  readonly scheduler: Pick<Scheduler, 'begin'> | undefined
}

type Body = {
  readonly claim: ClaimBytes
  /** Bytes of this body that are claimed already. */
  readonly claimed: number
  readonly units: BodyUnits
  /** True where the server has counted the chunks already. */
  readonly isCounted: boolean
}

type State = Body & {
  readonly options: Options
  readonly reader: ChunkReader
  readonly decoder: TextDecoder
  readonly chunks: Uint8Array[]
  readonly resolve: (result: string | NoBody) => void
  cancelWhole: () => void
  cancelIdle: () => void
  renewedMs: number
  claimed: number
  length: number
  text: string
  isEnded: boolean
}

const cancelAfterAnswer = (reader: State['reader']): void => {
  // The stream of a disconnected client has failed already.
  const cancel = (): void => void reader.cancel().catch(() => undefined)
  if (hasRequestTimers()) cancel()
  else setTimeout(cancel, CANCEL_MS)
}

const end = (state: State, result: string | NoBody): void => {
  if (state.isEnded) return
  state.isEnded = true
  state.cancelWhole()
  state.cancelIdle()
  state.text = ''
  state.chunks.length = 0
  state.resolve(result)
  if (typeof result !== 'string') cancelAfterAnswer(state.reader)
}

const renewIdle = (state: State): void => {
  const { idleDeadlines, idleMs } = state.options
  const nowMs = performance.now()
  if (nowMs - state.renewedMs < idleMs / IDLE_PARTS) return
  state.renewedMs = nowMs
  state.cancelIdle()
  state.cancelIdle = idleDeadlines.begin(() => end(state, LATE))
}

/** Claims memory for the chunks. Nobody knows how long a body is that is sent in chunks. */
const claimMore = (state: State): boolean => {
  const held = state.length + state.units.price()
  if (held <= state.claimed) return true
  const wanted = held <= SHORT_BODY_BYTES ? SHORT_BODY_BYTES : Math.max(state.options.bytesMax, held)
  if (!state.claim(wanted - state.claimed)) return false
  state.claimed = wanted
  return true
}

/** Counts a chunk; returns why the body is refused. */
const count = (state: State, bytes: number): NoBody | undefined => {
  const { isCounted, units, options } = state
  state.length += bytes
  if (state.length > options.bytesMax) return TOO_LONG
  const taken = isCounted ? 'taken' : units.take(bytes)
  if (taken === 'too-many') return TOO_MANY_CHUNKS
  return taken === 'busy' || !claimMore(state) ? BUSY : undefined
}

const decodeInTurn = async (state: State): Promise<void> => {
  const { chunks, decoder, options } = state
  while (chunks.length > 0) {
    // Many long bodies that arrive together would otherwise hold the event loop for the time of all.
    const turn = options.scheduler?.begin()
    if (turn !== undefined) await turn
    const chunk = chunks.shift()
    if (chunk !== undefined) state.text += decoder.decode(chunk, { stream: true })
  }
}

const pump = async (state: State): Promise<void> => {
  const { reader, chunks, decoder } = state
  let decoding: Promise<void> | undefined
  for (;;) {
    const chunk = await reader.read()
    if (state.isEnded) return
    if (chunk === undefined) break
    renewIdle(state)
    const refused = count(state, chunk.length)
    if (refused !== undefined) return end(state, refused)
    chunks.push(chunk)
    if (chunks.length === 1) decoding = decodeInTurn(state)
  }
  await decoding
  state.claim(state.length - state.claimed)
  end(state, state.text + decoder.decode())
}

const NOTHING = (): void => undefined

/**
 * Decodes each chunk as it arrives, so that no long text is decoded at once. Chunks are read, and counted, before it is their turn to
 * be decoded: the runtime would otherwise go on to collect what nobody counts.
 */
export const createReadChunks = (
  options: Options,
): ((stream: ReadableStream<Uint8Array>, body: Body) => Promise<string | NoBody>) => {
  const wholeDeadlines = createDeadlines(options.timeoutMs)
  return (stream, body) =>
    new Promise(resolve => {
      const state: State = {
        ...body,
        options,
        reader: openChunkReader(stream),
        decoder: new TextDecoder(),
        chunks: [],
        resolve,
        cancelWhole: NOTHING,
        cancelIdle: NOTHING,
        renewedMs: performance.now(),
        length: 0,
        text: '',
        isEnded: false,
      }
      state.cancelWhole = wholeDeadlines.begin(() => end(state, LATE))
      state.cancelIdle = options.idleDeadlines.begin(() => end(state, LATE))
      pump(state).catch(() => end(state, DISCONNECTED))
    })
}
