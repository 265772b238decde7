import { describe, expect, test } from 'bun:test'
import {
  createValidationQueues,
  dequeueBatch,
  enqueueFirst,
  type Source,
  waitingCount,
} from '../../../../p2p/sync/pool/validationQueues.ts'

type Waiting = { readonly encoded: Uint8Array; readonly source: Source; readonly name: string }

const ENCODED = new Uint8Array(100)

const start = () => {
  const queues = createValidationQueues<Waiting>(() => undefined)
  /** Queues a message of that many transactions of one peer. */
  const put = (name: string, count: number): Source => {
    const source = { unknownSenders: 0 }
    for (let index = 0; index < count; index++)
      enqueueFirst(queues, 'peer', { encoded: ENCODED, source, name: `${name}${index}` })
    return source
  }
  const take = () => dequeueBatch(queues, () => 'peer').map(({ name }) => name)
  return { queues, put, take }
}

describe('given a message of many unknown senders and one of a known sender behind it', () => {
  test('when 16 senders of the first are found to be unknown, then the other message comes before the rest of it', () => {
    const { put, take } = start()
    const flood = put('flood', 1_000)
    put('known', 1)
    expect(take().includes('known0')).toBe(false)
    flood.unknownSenders = 16
    expect(take()[0]).toBe('known0')
  })

  test('when fewer are unknown, then the order of arrival stays', () => {
    const { put, take } = start()
    const few = put('few', 200)
    put('known', 1)
    few.unknownSenders = 15
    expect([...take(), ...take(), ...take()].at(-1)).toBe('known0')
  })

  test('when messages of known senders never end, then a quarter of each batch is of unknown ones', () => {
    const { put, take } = start()
    const flood = put('flood', 200)
    flood.unknownSenders = 16
    put('known', 1_000)
    const batch = take()
    expect(batch.filter(name => name.startsWith('known'))).toHaveLength(96)
    expect(batch.filter(name => name.startsWith('flood'))).toHaveLength(32)
  })

  test('when all are taken, then each was once', () => {
    const { queues, put, take } = start()
    put('flood', 3_000).unknownSenders = 16
    put('known', 300)
    const taken: string[] = []
    while (waitingCount(queues) > 0) taken.push(...take())
    expect(taken).toHaveLength(3_300)
    expect(new Set(taken).size).toBe(3_300)
  })
})
