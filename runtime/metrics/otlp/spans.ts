import { toBareHex } from '../../../core/bytes/hex.ts'

/** A timed piece of work, in OpenTelemetry's words. Times in milliseconds since 1970. */
export type Span = {
  /** 32 and 16 hex digits. */
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly name: string
  readonly kind: 'internal' | 'server'
  readonly startMs: number
  readonly endMs: number
  readonly attributes: Readonly<Record<string, string | number>>
  /** The name of the error; undefined where the work succeeded. */
  readonly error?: string | undefined
}

/** Spans that wait for their export, as many as OpenTelemetry's own processors keep: about 1 MB. */
export const SPANS_MAX = 2_048

export type SpanQueue = {
  /** Adds a span; drops it when the queue is full, so that a slow receiver delays nothing. */
  push(span: Span): void
  /** Takes the oldest spans. */
  take(max: number): readonly Span[]
  readonly size: () => number
  /** Spans dropped since the last call. */
  takeDropped(): number
}

export const createSpanQueue = (): SpanQueue => {
  const spans: Span[] = []
  let dropped = 0
  return {
    push: span => {
      if (spans.length < SPANS_MAX) spans.push(span)
      else dropped++
    },
    take: max => spans.splice(0, max),
    size: () => spans.length,
    takeDropped: () => {
      const count = dropped
      dropped = 0
      return count
    },
  }
}

const randomHex = (bytes: number): string => toBareHex(crypto.getRandomValues(new Uint8Array(bytes)))

export const newTraceId = (): string => randomHex(16)
export const newSpanId = (): string => randomHex(8)
