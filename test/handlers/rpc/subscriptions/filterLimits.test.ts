import { expect, test } from 'bun:test'
import { requestScheduler } from '../../../../handlers/inbound/requestScheduler.ts'
import type { RpcError } from '../../../../handlers/rpc/errors.ts'
import { readLogFilter } from '../../../../handlers/rpc/logs/filter.ts'
import {
  createSubscriptionHub,
  FILTERS_PRICE_MAX,
  type Topic,
} from '../../../../handlers/rpc/subscriptions/subscriptions.ts'

const list = (from: number, length = 34): string[] =>
  Array.from({ length }, (_, i) => `0x${(from + i).toString(16).padStart(64, '0')}`)

/** Two lists with more than a thousand combinations cost most for their length. */
const wide = (from: number): Topic => {
  const topics = [list(from), list(from + 34)]
  return { kind: 'logs', filter: readLogFilter({ topics }), text: JSON.stringify(topics) }
}

const narrow: Topic = { kind: 'logs', filter: readLogFilter({ topics: [list(1)] }), text: '' }

test('given connections, when the filters of one cost too much for the node, then it gets the reason, and small ones still fit', () => {
  const feeds = { listen: () => () => undefined }
  const hub = createSubscriptionHub(feeds, requestScheduler())
  const connect = () =>
    hub.connect(
      () => undefined,
      () => undefined,
    )
  const [greedy, modest] = [connect(), connect()]
  const codeOf = (add: () => unknown): unknown => {
    try {
      add()
      return undefined
    } catch (error) {
      return (error as RpcError).code
    }
  }
  const countMax = Math.ceil(FILTERS_PRICE_MAX / 1024)
  const refusals = Array.from({ length: countMax }, (_, i) =>
    codeOf(() => greedy.forRequest().add(wide(68 * i))),
  )
  expect(refusals).toContain('LOG_SUBSCRIPTIONS_TOO_MANY')
  expect(codeOf(() => modest.forRequest().add(narrow))).toBeUndefined()
  expect(
    codeOf(() => greedy.forRequest().add({ kind: 'newHeads', includeTransactions: false })),
  ).toBeUndefined()
  greedy.clear()
  expect(codeOf(() => modest.forRequest().add(wide(1)))).toBeUndefined()
})
