import { afterAll, expect, test } from 'bun:test'
import { encodeValues } from '../../../core/store/codec/entries.ts'
import { openHttpDriver } from '../../../runtime/drivers/http.ts'
import { rejection } from '../../support/rejection.ts'

/** Values of a store that answers the first read, which opens it, as it should, and then as its path says. */
const ANSWERS: Readonly<Record<string, () => Response>> = {
  fewer: () => new Response(new Uint8Array(encodeValues([Uint8Array.of(1)]))),
  more: () => new Response(new Uint8Array(encodeValues([undefined, undefined, undefined]))),
  garbage: () => new Response('<html>'),
  redirects: () => Response.redirect('http://127.0.0.1:1/', 307),
  talkative: () => new Response('x'.repeat(10_000_000), { status: 500 }),
  endless: () =>
    new Response(
      new ReadableStream({ pull: controller => controller.enqueue(new Uint8Array(16 * 1024 * 1024)) }),
    ),
}
const opened = new Set<string>()
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: ({ url }) => {
    const kind = new URL(url).pathname.split('/')[1] ?? ''
    if (opened.has(kind)) return ANSWERS[kind]?.() ?? new Response(null, { status: 404 })
    opened.add(kind)
    return new Response(new Uint8Array(encodeValues([undefined])))
  },
})
afterAll(() => server.stop(true))

test.each([
  ['fewer', 'a read of 2 keys was answered with 1 values'],
  ['more', 'is longer than 2'],
  ['garbage', 'cannot be read'],
  ['redirects', 'answered with 307'],
  ['talkative', 'answered with 500: xxx'],
  ['endless', 'answered with more than 100663296 bytes'],
])('given a store whose answer is of the kind %s, then no value is taken from it', async (kind, reason) => {
  const { driver } = await openHttpDriver({ url: `http://127.0.0.1:${server.port}/${kind}`, secret: 'x' })
  const error = String(await rejection(Promise.resolve(driver.getEntries?.(['a:1', 'a:2']))))
  expect(error).toContain(reason)
  expect(error.length).toBeLessThan(1_000)
})
