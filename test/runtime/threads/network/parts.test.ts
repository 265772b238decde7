import { describe, expect, test } from 'bun:test'
import { EnodeError } from '../../../../p2p/transport/enode.ts'
import { NetworkError } from '../../../../p2p/error.ts'
import { BACKLOG_BYTES_MAX, createHandled, openBacklog } from '../../../../runtime/threads/network/backlog.ts'
import { createCalls } from '../../../../runtime/threads/network/calls.ts'
import { errorOf, plainError, plainValues, valuesOf } from '../../../../runtime/threads/network/errors.ts'
import { joinList, splitList } from '../../../../runtime/threads/network/joinedBytes.ts'
import {
  createListClient,
  createListServer,
  type ListClient,
  type ToListClient,
} from '../../../../runtime/threads/network/lists.ts'
import { roleIn } from '../../../../runtime/threads/network/role.ts'
import { turns } from '../../../support/turns.ts'
import { until } from '../../../support/until.ts'

const MB = 1024 * 1024

const noLog = (lines: string[] = []) => {
  const note = (text: string): void => void lines.push(text)
  return { debug: note, info: note, warn: note, error: note }
}

describe('messages between the threads', () => {
  test('given more bytes than the limit, then no message is sent until the receiver has processed some, and that is logged', () => {
    const lines: string[] = []
    const handled = createHandled()
    const sender = openBacklog(handled, 'toNetwork', noLog(lines))
    const receiver = openBacklog(handled, 'toNetwork', noLog())
    let sent = 0
    while (sender.admits(MB)) sent++
    expect(sent).toBe(BACKLOG_BYTES_MAX / MB - 1)
    expect(lines).toHaveLength(1)
    receiver.handled(MB)
    expect([sender.admits(MB), sender.admits(MB)]).toEqual([true, false])
    // The other direction has a limit of its own.
    expect(openBacklog(handled, 'fromNetwork', noLog()).admits(MB)).toBe(true)
  })

  test('given more bytes in all than a counter holds, then messages are still sent', () => {
    const handled = createHandled()
    const backlog = openBacklog(handled, 'fromNetwork', noLog())
    for (let i = 0; i < 5_000; i++) {
      expect(backlog.admits(MB)).toBe(true)
      backlog.handled(MB)
    }
  })

  test('given an empty queue, then a message of any size is sent', () => {
    expect(openBacklog(createHandled(), 'fromNetwork', noLog()).admits(2 * BACKLOG_BYTES_MAX)).toBe(true)
  })
})

/** Messages pass as between threads: later, and copied. */
const connectRanges = (
  source: (signal: AbortSignal) => AsyncIterable<Uint8Array>,
): { readonly client: ListClient; readonly posted: ToListClient[] } => {
  const posted: ToListClient[] = []
  const server = createListServer(
    (message, moved) => {
      const crossed = structuredClone(message, { transfer: [...moved] })
      posted.push(crossed)
      setImmediate(() => client.receive(crossed))
    },
    (_request, signal) => source(signal),
  )
  const client = createListClient(
    message => setImmediate(() => server.receive(message)),
    () => new NetworkError('NOT_CONNECTED', 'no longer wanted'),
  )
  return { client, posted }
}

const REQUEST = { peer: '', kind: 'blocks', from: 0n, count: 100 } as const
const ended = (run: Promise<unknown>): Promise<unknown> => run.catch((error: unknown) => error)

describe('a range that crosses to the other thread', () => {
  test('given a reader that does not read on, then a megabyte is on its way and no more', async () => {
    const { client, posted } = connectRanges(async function* () {
      for (let i = 0; i < 100; i++) yield new Uint8Array(300 * 1024).fill(i)
    })
    const blocks = client.open(REQUEST)
    expect((await blocks.next()).value?.[0]).toBe(0)
    await turns(50)
    expect(posted).toHaveLength(4)
    let read = 1
    for await (const block of blocks) expect(block[0]).toBe(read++)
    expect(read).toBe(100)
  })

  test('given small items of one turn, when they are sent, then they share a message, and arrive in order in memory of their own', async () => {
    const { client, posted } = connectRanges(async function* () {
      for (let i = 0; i < 100; i++) yield new Uint8Array(i).fill(i)
    })
    const items: Uint8Array[] = []
    for await (const item of client.open(REQUEST)) items.push(item)
    expect(items).toEqual(Array.from({ length: 100 }, (_, i) => new Uint8Array(i).fill(i)))
    expect(items.map(({ buffer }) => buffer.byteLength)).toEqual(items.map(({ length }) => length))
    expect(posted.map(({ kind }) => kind)).toEqual(['items', 'done'])
  })

  test('given more small items than may be on their way, when the reader reads, then all arrive', async () => {
    const { client } = connectRanges(async function* () {
      for (let i = 0; i < 3_000; i++) yield new Uint8Array(1_000)
    })
    let bytes = 0
    for await (const item of client.open(REQUEST)) bytes += item.length
    expect(bytes).toBe(3_000_000)
  })

  test('given a source that fails, then what it gave arrives, and then its error', async () => {
    const { client } = connectRanges(async function* () {
      yield Uint8Array.of(1)
      throw new NetworkError('TIMEOUT', 'the peer was silent')
    })
    const blocks = client.open(REQUEST)
    expect((await blocks.next()).value).toEqual(Uint8Array.of(1))
    expect(await ended(blocks.next())).toMatchObject({ code: 'TIMEOUT', message: 'the peer was silent' })
  })

  test('given a signal, then the reader ends at once and the source is cancelled', async () => {
    let told = false
    const { client } = connectRanges(async function* (signal) {
      signal.addEventListener('abort', () => {
        told = true
      })
      await new Promise(resolve => signal.addEventListener('abort', resolve))
      yield Uint8Array.of(1)
    })
    const controller = new AbortController()
    const next = ended(client.open(REQUEST, controller.signal).next())
    setTimeout(() => controller.abort(), 20)
    expect(await next).toMatchObject({ code: 'NOT_CONNECTED' })
    await until(() => told)
    expect(await ended(client.open(REQUEST, controller.signal).next())).toMatchObject({
      code: 'NOT_CONNECTED',
    })
  })

  test('given that the thread has failed, then calls do not wait for it', async () => {
    const { client } = connectRanges(async function* () {
      await new Promise(() => undefined)
      yield Uint8Array.of(1)
    })
    const next = ended(client.open(REQUEST).next())
    client.fail(new Error('gone'))
    expect(await next).toMatchObject({ message: 'gone' })
  })
})

describe('given values that cross between the threads', () => {
  test('when they are lists of bytes, then they are whole, even empty ones', () => {
    const list = [Uint8Array.of(1, 2), new Uint8Array(0), Uint8Array.of(3)]
    expect(splitList(joinList(list))).toEqual(list)
    expect(splitList(joinList([]))).toEqual([])
  })

  test('when they are errors, then they keep class, code, text and stack', () => {
    const network = new NetworkError('OVERSIZED', 'too large')
    const enode = new EnodeError('SYNTAX', 'abc', 'It is no enode URL.')
    const other = Object.assign(new TypeError('no'), { code: 'E_OTHER' })
    for (const error of [network, enode, other]) {
      const crossed = errorOf(structuredClone(plainError(error)))
      const fields = ['name', 'message', 'stack', 'code'] as const
      expect(fields.map(field => Reflect.get(crossed, field))).toEqual(fields.map(field => error[field]))
    }
    expect(errorOf(plainError(enode))).toBeInstanceOf(EnodeError)
    expect(errorOf(plainError('text')).message).toBe('text')
  })

  test('when they are values of a log line, then they keep what the log shows', () => {
    const error = new NetworkError('TIMEOUT', 'silent')
    const crossed = valuesOf(
      structuredClone(
        plainValues({ a: 1, b: 2n, c: 'x', d: ['y', 1], e: error, f: { toString: () => 'shown' } }),
      ),
    )
    expect(crossed).toMatchObject({ a: 1, b: 2n, c: 'x', d: ['y', 1], f: 'shown' })
    expect(crossed['e']).toBeInstanceOf(NetworkError)
  })

  test('when they are roles, then they are those of the known validators', () => {
    const one = new Uint8Array(20).fill(1)
    expect([roleIn(undefined, one), roleIn([one], one), roleIn([], one)]).toEqual([
      'unknown',
      'validator',
      'other',
    ])
  })
})

describe('given calls of the thread', () => {
  test('when they are answered or refused, or the thread fails, then each call gets the answer of its id', async () => {
    const calls = createCalls()
    const numbers: number[] = []
    const asked = Array.from({ length: 1_024 }, () => ended(calls.request(id => void numbers.push(id))))
    expect(await ended(calls.request(() => undefined))).toMatchObject({ code: 'TIMEOUT' })
    calls.answered(numbers[1] as number, true)
    calls.answered(numbers[0] as number, plainError(new NetworkError('NOT_CONNECTED', 'no')))
    calls.fail(new Error('gone'))
    const [first, second, third] = await Promise.all(asked)
    expect([first, second, third]).toMatchObject([{ code: 'NOT_CONNECTED' }, true, { message: 'gone' }])
  })
})
