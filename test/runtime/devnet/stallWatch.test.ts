import { expect, test } from 'bun:test'
import { watchStalls } from '../../../runtime/devnet/stallWatch.ts'
import { until } from '../../support/until.ts'

type Answer = { readonly status: string; readonly explanation: string | null; readonly heard: number }

test('given validators, when blocks stop, then the sentence of the best connected one is printed once, and when they continue', async () => {
  const well: Answer = { status: 'well', explanation: null, heard: 4 }
  const state = { answers: [well, well], asked: 0 }
  const servers = [0, 1].map(index =>
    Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: () => {
        state.asked++
        return Response.json({ jsonrpc: '2.0', id: 1, result: state.answers[index] })
      },
    }),
  )
  const asked = async (count: number): Promise<void> => {
    const expected = state.asked + count
    await until(() => state.asked >= expected, { pollMs: 1 })
  }
  const lines: string[] = []
  // A port at which nothing listens: a validator that has ended.
  const urls = [...servers.map(({ url }) => url.origin), 'http://127.0.0.1:1']
  const stop = watchStalls(urls, line => lines.push(line.slice('00:00:00 '.length)), { pollMs: 1 })
  await asked(6)
  expect(lines).toEqual([])
  state.answers = [
    { status: 'stalled', explanation: 'No block for 5 s: 1 of 4 validators is connected.', heard: 1 },
    { status: 'stalled', explanation: 'No block for 5 s: 2 of 4 validators are connected.', heard: 2 },
  ]
  await asked(10)
  const stopped = 'Blocks have stopped. No block for 5 s: 2 of 4 validators are connected.'
  expect(lines).toEqual([stopped])
  state.answers = [state.answers[0] as Answer, well]
  await asked(10)
  expect(lines).toEqual([stopped, 'Blocks continue.'])
  stop()
  await Promise.all(servers.map(server => server.stop(true)))
})
