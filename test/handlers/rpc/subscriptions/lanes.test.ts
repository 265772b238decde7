import { describe, expect, test } from 'bun:test'
import { createScheduler } from '../../../../core/scheduler.ts'
import {
  createLanes,
  type Lane,
  type Listener,
  WAITING_MAX,
} from '../../../../handlers/rpc/subscriptions/lanes.ts'
import { onNextTurn, REQUEST_SLICE_MS } from '../../../../handlers/inbound/requestScheduler.ts'
import { until } from '../../../support/until.ts'

/** Each read of the clock moves it by a whole slice: every step is a turn of its own. */
const startLanes = () => {
  let now = 0
  const nowMs = (): number => (now += REQUEST_SLICE_MS)
  return createLanes(createScheduler({ onNextTurn, nowMs, sliceMs: REQUEST_SLICE_MS }))
}

const batchOf = (listeners: readonly Listener[], results: readonly string[], event = 1) => ({
  listeners: new Map(listeners.map(listener => [listener, 0])),
  event,
  results,
})

const numbered = (count: number): string[] => Array.from({ length: count }, (_, i) => String(i))

describe('given connections that are notified', () => {
  const open = () => {
    const lanes = startLanes()
    const received: string[] = []
    const overruns: string[] = []
    const connect = (name: string) => {
      const lane: Lane = lanes.open(() => void overruns.push(name))
      const listener: Listener = { lane, notify: result => void received.push(`${name} ${result}`) }
      return { lane, listener }
    }
    return { received, overruns, connect }
  }

  test('when one has very many notifications, then the head and the log of another one wait for few of them', async () => {
    const { received, connect } = open()
    const [busy, other] = [connect('busy'), connect('other')]
    busy.lane.put(batchOf([busy.listener], numbered(10_000)), 'bulk')
    other.lane.put(batchOf([other.listener], ['head']), 'prompt')
    other.lane.put(batchOf([other.listener], ['log']), 'bulk')
    await until(() => received.length === 10_002)
    expect(received.indexOf('other head')).toBeLessThan(200)
    expect(received.indexOf('other log')).toBeLessThan(200)
  })

  test('when a connection has many logs, then its own heads do not wait for them', async () => {
    const { received, connect } = open()
    const { lane, listener } = connect('one')
    lane.put(batchOf([listener], numbered(10_000)), 'bulk')
    lane.put(batchOf([listener], ['head']), 'prompt')
    await until(() => received.length === 10_001)
    expect(received.indexOf('one head')).toBeLessThan(200)
    const logs = received.filter(text => text !== 'one head')
    expect(logs).toEqual(numbered(10_000).map(text => `one ${text}`))
  })

  test('when a listener is removed or came later, then it is not notified', async () => {
    const { received, connect } = open()
    const [gone, late, last] = [connect('gone'), connect('late'), connect('last')]
    const listeners = new Map([
      [gone.listener, 0],
      [late.listener, 1],
    ])
    gone.lane.put({ listeners, event: 1, results: numbered(300) }, 'bulk')
    listeners.delete(gone.listener)
    const before = received.length
    last.lane.put(batchOf([last.listener], ['end']), 'bulk')
    await until(() => received.includes('last end'))
    expect(received.filter(text => !text.startsWith('gone'))).toEqual(['last end'])
    expect(received.length - before).toBe(1)
  })

  test('when more waits for one connection than is allowed, then it alone is closed', async () => {
    const { received, overruns, connect } = open()
    const [greedy, modest] = [connect('greedy'), connect('modest')]
    const { lane } = greedy
    const many = Array.from({ length: 1024 }, () => ({ lane, notify: () => undefined }))
    lane.put(batchOf(many, numbered(WAITING_MAX / 1024 + 1)), 'bulk')
    lane.put(batchOf([greedy.listener], ['more']), 'bulk')
    modest.lane.put(batchOf([modest.listener], ['log']), 'bulk')
    await until(() => received.length > 0)
    expect([received, overruns]).toEqual([['modest log'], ['greedy']])
  })

  test('when many short lists wait, or long texts, then the connection is closed', () => {
    const { overruns, connect } = open()
    const { lane, listener } = connect('short')
    for (let count = 0; count < 20_000; count++) lane.put(batchOf([listener], ['x']), 'bulk')
    expect(overruns).toEqual(['short'])
    const long = connect('long')
    const text = 'x'.repeat(64 * 1024 * 1024)
    long.lane.put(batchOf([long.listener], [text]), 'bulk')
    long.lane.put(batchOf([long.listener], [text]), 'bulk')
    expect(overruns).toEqual(['short', 'long'])
  })
})
