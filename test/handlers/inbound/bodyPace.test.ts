import { describe, expect, test } from 'bun:test'
import { createReadBody } from '../../../handlers/inbound/body.ts'

const CHUNK_BYTES = 512 * 1024
const CHUNKS = 8
const BODIES = 20

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
  test('when they are read, then other work runs after every few megabytes, and all are whole', async () => {
    const readBody = createReadBody({ bytesMax: 2 * CHUNKS * CHUNK_BYTES })
    let turns = 0
    let isReading = true
    const countTurns = (): void => {
      turns++
      if (isReading) setImmediate(countTurns)
    }
    setImmediate(countTurns)
    const texts = await Promise.all(Array.from({ length: BODIES }, () => readBody(longRequest(), () => true)))
    isReading = false
    for (const text of texts) expect((text as string).length).toBe(CHUNKS * CHUNK_BYTES)
    expect(turns).toBeGreaterThan((BODIES * CHUNKS * CHUNK_BYTES) / (4 * 1024 * 1024))
  })
})
