import { expect, test } from 'bun:test'
import { watchHealth } from '../../../runtime/devnet/healthWatch.ts'
import { until } from '../../support/until.ts'

test('given a node that is DOWN, then its cause is printed once, and again after it was UP', async () => {
  let down = false
  using server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () =>
      down
        ? Response.json({ status: 'DOWN', reasons: ['Block 7 waits in round 2'] }, { status: 503 })
        : Response.json({ status: 'UP' }),
  })
  const looks = { count: 0 }
  const looked = async (count: number): Promise<void> => {
    const expected = looks.count + count
    await until(() => looks.count >= expected)
  }
  const counting = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => {
      looks.count++
      return Response.json({ status: 'UP' })
    },
  })
  const lines: string[] = []
  const stop = watchHealth(
    [
      { name: 'validator1', url: server.url.origin },
      { name: 'validator2', url: counting.url.origin },
    ],
    line => lines.push(line),
    { pollMs: 1, downMsMin: 0 },
  )
  await looked(3)
  expect(lines).toEqual([])
  const told = 'validator1 is DOWN: Block 7 waits in round 2'
  for (const times of [1, 2]) {
    down = true
    await looked(5)
    expect(lines).toEqual(Array.from({ length: times }, () => told))
    down = false
    await looked(5)
  }
  stop()
  await counting.stop(true)
})
