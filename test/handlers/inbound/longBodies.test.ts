import { describe, expect, test } from 'bun:test'
import { createScheduler } from '../../../core/scheduler.ts'
import { createReadBody } from '../../../handlers/inbound/body.ts'
import { onNextTurn } from '../../../handlers/inbound/requestScheduler.ts'

const CHUNK_BYTES = 512 * 1024
const CHUNKS = 8
const BODIES = 20
const TURN_CHUNKS = 5

/** A request whose whole body has arrived already. */
const longRequest = (): Request => {
  const chunk = new Uint8Array(CHUNK_BYTES).fill(0x61)
  const body = new ReadableStream<Uint8Array>({
    start: controller => {
      for (let i = 0; i < CHUNKS; i++) controller.enqueue(chunk)
      controller.close()
    },
  })
  return new Request('http://localhost/', { method: 'POST', body, duplex: 'half' } as RequestInit)
}

describe('given twenty long bodies that arrive together', () => {
  test('when they are read, then each turn decodes a few chunks, and all are whole', async () => {
    // Each chunk that is decoded moves the clock: two reads of it.
    let nowMs = 0
    const scheduler = createScheduler({ onNextTurn, nowMs: () => nowMs++, sliceMs: 2 * TURN_CHUNKS })
    const readBody = createReadBody({ bytesMax: 2 * CHUNKS * CHUNK_BYTES, scheduler })
    let turns = 0
    let next = setImmediate(function count() {
      turns++
      next = setImmediate(count)
    })
    const texts = await Promise.all(Array.from({ length: BODIES }, () => readBody(longRequest(), () => true)))
    clearImmediate(next)
    for (const text of texts) expect((text as string).length).toBe(CHUNKS * CHUNK_BYTES)
    expect(turns).toBeGreaterThan((BODIES * CHUNKS) / (4 * TURN_CHUNKS))
  })
})
