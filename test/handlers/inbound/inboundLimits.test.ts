import { describe, expect, test } from 'bun:test'
import { until } from '../../support/until.ts'
import { createReadBody } from '../../../handlers/inbound/body.ts'
import { createInboundLimits, SHORT_BODY_BYTES } from '../../../handlers/inbound/inboundLimits.ts'

const at = (address: string) => () => address

describe('given limits of requests in progress', () => {
  test('when an address has reached its limit, then its next request is refused, and those of others are not', () => {
    const inbound = createInboundLimits({ requestsOfAddressMax: 3 })
    const admitted = [1, 2, 3].map(() => inbound.admit(at('192.0.2.1')))
    expect(admitted).not.toContain(undefined)
    expect(inbound.admit(at('192.0.2.1'))).toBeUndefined()
    const other = inbound.admit(at('192.0.2.2'))
    expect(other).toBeDefined()
    admitted[0]?.release()
    admitted[0]?.release()
    expect(inbound.admit(at('192.0.2.1'))).toBeDefined()
    expect(inbound.admit(at('192.0.2.1'))).toBeUndefined()
  })

  test('when there are few, then addresses are not determined', () => {
    const inbound = createInboundLimits({ requestsOfAddressMax: 100 })
    for (let i = 0; i < 1000; i++) {
      const admitted = inbound.admit(() => {
        throw new Error('asked')
      })
      admitted?.release()
    }
  })

  test('when requests of many addresses have ended, then each address has its full limit again', () => {
    const inbound = createInboundLimits({ requestsOfAddressMax: 4 })
    for (let round = 0; round < 3; round++) {
      const admitted = Array.from({ length: 20 }, (_, i) => inbound.admit(at(`192.0.2.${i % 5}`)))
      expect(admitted.filter(one => one === undefined)).toHaveLength(0)
      expect(inbound.admit(at('192.0.2.3'))).toBeUndefined()
      for (const one of admitted) one?.release()
    }
  })
})

describe('given a limit of bytes of all bodies', () => {
  test('when long bodies have used their part, then short ones are still read', () => {
    const inbound = createInboundLimits({ bodiesBytesMax: 64 * SHORT_BODY_BYTES })
    const long = inbound.open()
    expect(long.claim(32 * SHORT_BODY_BYTES)).toBe(true)
    expect(long.claim(1)).toBe(false)
    const short = inbound.open()
    expect(short.claim(SHORT_BODY_BYTES)).toBe(true)
    expect(short.claim(1)).toBe(false)
    long.release()
    expect(short.claim(1)).toBe(true)
  })

  test('when a body exceeds the limit while it arrives, then it is refused and the others are read on', async () => {
    const inbound = createInboundLimits({ bodiesBytesMax: 1_000_000 })
    const read = createReadBody({ bytesMax: 10_000_000 })
    let isCancelled = false
    const endless = new ReadableStream<Uint8Array>({
      pull: controller => controller.enqueue(new Uint8Array(100_000)),
      cancel: () => {
        isCancelled = true
      },
    })
    const admitted = inbound.open()
    const request = new Request('http://localhost', { method: 'POST', body: endless })
    expect(await read(request, admitted.claim)).toMatchObject({ reason: 'busy', status: 503 })
    await until(() => isCancelled)
    admitted.release()
    const next = new Request('http://localhost', { method: 'POST', body: 'x'.repeat(400_000) })
    const readShorter = createReadBody({ bytesMax: 500_000 })
    expect(await readShorter(next, inbound.open().claim)).toHaveLength(400_000)
  })

  test('when long bodies are announced, then they count before they arrive, those in chunks with the longest they may have', async () => {
    const MEGABYTE = 1024 * 1024
    const inbound = createInboundLimits({ bodiesBytesMax: 20 * MEGABYTE })
    const read = createReadBody({ bytesMax: 5 * MEGABYTE, timeoutMs: 100 })
    const post = (body: ReadableStream<Uint8Array>, headers: Record<string, string>) =>
      read(new Request('http://localhost', { method: 'POST', headers, body }), inbound.open().claim)
    const silent = () => post(new ReadableStream(), { 'content-length': String(3 * MEGABYTE) })
    const chunked = (bytes: number) =>
      post(new ReadableStream({ start: controller => controller.enqueue(new Uint8Array(bytes)) }), {})
    const results = await Promise.all([
      chunked(SHORT_BODY_BYTES),
      silent(),
      silent(),
      chunked(SHORT_BODY_BYTES + 1),
      chunked(SHORT_BODY_BYTES + 1),
      chunked(SHORT_BODY_BYTES),
    ])
    expect(results.map(result => (typeof result === 'string' ? '' : result.reason))).toEqual([
      'late',
      'late',
      'late',
      'busy',
      'busy',
      'late',
    ])
  })

  test('when chunks wait for their turn to be decoded, then they count as soon as they have arrived, and what was not needed is given back', async () => {
    let claimed = 0
    const { promise: turn, resolve: giveTurn } = Promise.withResolvers<void>()
    const read = createReadBody({ bytesMax: 1_000_000, scheduler: { begin: () => turn } })
    let chunks = 5
    const body = new ReadableStream<Uint8Array>({
      pull: controller => {
        controller.enqueue(new Uint8Array(100_000).fill(0x20))
        if (--chunks === 0) controller.close()
      },
    })
    const reading = read(new Request('http://localhost', { method: 'POST', body }), bytes => {
      claimed += bytes
      return true
    })
    await until(() => claimed === 1_000_000)
    giveTurn()
    expect(await reading).toBe(' '.repeat(500_000))
    expect(claimed).toBe(500_000)
  })

  test.each(['-5', 'x', '1e3', '0x10', '1'.repeat(400)])(
    'when the announced length is %s, which is none, then the bytes that arrive count',
    async length => {
      let claimed = 0
      const headers = { 'content-length': length }
      const request = new Request('http://localhost', { method: 'POST', headers, body: 'x'.repeat(100_000) })
      const read = createReadBody({ bytesMax: 1_000_000 })
      const text = await read(request, bytes => {
        claimed += bytes
        return true
      })
      expect([text, claimed]).toEqual(['x'.repeat(100_000), 100_000])
    },
  )

  test('when a body stops arriving, then reading it ends', async () => {
    const read = createReadBody({ bytesMax: 1_000_000, timeoutMs: 20 })
    const silent = new ReadableStream<Uint8Array>({
      start: controller => controller.enqueue(new Uint8Array(100)),
    })
    const request = new Request('http://localhost', { method: 'POST', body: silent })
    expect(await read(request, () => true)).toMatchObject({ reason: 'late', status: 408 })
  })

  test('then characters that are split between two chunks are decoded, without a byte order mark', async () => {
    const bytes = new TextEncoder().encode('\ufeff{"a":"é😀"}')
    const chunks = new ReadableStream<Uint8Array>({
      start: controller => {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
        controller.close()
      },
    })
    const request = new Request('http://localhost', { method: 'POST', body: chunks })
    expect(await createReadBody({ bytesMax: 100 })(request, () => true)).toBe('{"a":"é😀"}')
  })
})
