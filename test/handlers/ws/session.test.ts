import { describe, expect, jest, test } from 'bun:test'
import { requestScheduler } from '../../../handlers/inbound/requestScheduler.ts'
import { EVERYONE } from '../../../handlers/auth/caller.ts'
import type { Dispatcher, Reply } from '../../../handlers/rpc/dispatch/dispatcher.ts'
import type { ConnectionSubscriptions } from '../../../handlers/rpc/subscriptions/subscriptions.ts'
import {
  COMPRESSED_LENGTH_MAX,
  COMPRESSED_MESSAGE_LENGTH_MIN,
  NOTIFICATION_BUFFER_BYTES_MAX,
  REPLY_BUFFER_BYTES_MAX,
  WHOLE_MESSAGE_BYTES_MAX,
} from '../../../handlers/ws/outbox.ts'
import { createInboundLimits } from '../../../handlers/inbound/inboundLimits.ts'
import { createSession, CUT_GRACE_MS, IN_WORK_MAX, WAITING_MAX } from '../../../handlers/ws/session.ts'
import type { Socket } from '../../../handlers/ws/socket.ts'
import { until } from '../../support/until.ts'
import { turns } from '../../support/turns.ts'

/** A socket whose reader reads when it is told to. */
const createStalledSocket = (takesParts = false) => {
  const sent: string[] = []
  const compressed: string[] = []
  let buffered = 0
  const ends: string[] = []
  const parts: string[] = []
  const sendPart = (bytes: Uint8Array, isLast: boolean): void => {
    parts.push(new TextDecoder().decode(bytes))
    buffered += bytes.length
    if (!isLast) return
    sent.push(parts.join(''))
    parts.length = 0
  }
  const socket: Socket = {
    ...(takesParts ? { sendPart } : {}),
    send: (text, isCompressed) => {
      if (parts.length > 0) throw new Error('a message amid the parts of another one')
      sent.push(text)
      if (isCompressed) compressed.push(text)
      buffered += text.length
    },
    bufferedBytes: () => buffered,
    close: (code, reason) => void ends.push(`${code} ${reason}`),
    terminate: () => void ends.push('terminated'),
  }
  return {
    socket,
    sent,
    compressed,
    parts,
    ends,
    read: (bytes = buffered) => {
      buffered -= bytes
    },
  }
}

const reply = (body: string): Reply => ({ status: 200, body })

const start = (
  handle: (body: string) => Reply | Promise<Reply>,
  takesParts = false,
  begin: () => Promise<void> | undefined = () => undefined,
) => {
  const stalled = createStalledSocket(takesParts)
  const errors: unknown[] = []
  let notify: (notification: string) => void = () => undefined
  let open = 0
  const connection: ConnectionSubscriptions = {
    get size() {
      return open
    },
    forRequest: () => ({
      add: () => String(++open),
      remove: () => false,
      answered: () => undefined,
    }),
    clear: () => {
      open = 0
    },
  }
  const dispatcher: Dispatcher = {
    handle: (body, _, client) => {
      if (body === 'subscribe') client?.connection?.subscriptions.add({ kind: 'syncing' })
      return handle(body)
    },
  }
  const session = createSession(stalled.socket, {
    scheduler: { ...requestScheduler(), begin },
    dispatcher,
    inbound: createInboundLimits(),
    hub: {
      connect: send => {
        notify = send
        return connection
      },
    },
    authenticate: () => ({
      identify: () => ({ ...EVERYONE, unauthenticated: false, expiresAtMs: undefined }),
      present: () => Promise.resolve(undefined),
      authorization: () => null,
      close: () => undefined,
    }),
    reportError: (_, error) => void errors.push(error),
  })
  return { ...stalled, session, errors, notify: (text: string) => notify(text), subscriptions: () => open }
}

const SLOW = 'Closing the connection: the client has not read too many of its messages'

const MEGABYTE = 'x'.repeat(1024 * 1024)

describe('given a reader that is behind', () => {
  test('when 4 MiB of answers are unread, then no more requests are started until it has read', async () => {
    let begun = 0
    const { session, sent, read } = start(() => {
      begun++
      return reply(MEGABYTE)
    })
    const full = REPLY_BUFFER_BYTES_MAX / MEGABYTE.length + 1
    for (let i = 0; i < full + 3; i++) session.message('request')
    expect([begun, sent.length]).toEqual([full, full])
    read()
    await until(() => begun === full + 3)
    expect(sent.length).toBe(full + 3)
    session.closed()
  })

  test('when its notifications exceed the limit, then it gets the reason, and is closed once it has read it', async () => {
    const { session, notify, sent, ends, read, subscriptions } = start(() => reply('answer'))
    session.message('subscribe')
    expect(subscriptions()).toBe(1)
    for (let i = 0; i <= NOTIFICATION_BUFFER_BYTES_MAX / MEGABYTE.length; i++) notify(MEGABYTE)
    expect(sent.at(-1)).toBe(`{"jsonrpc":"2.0","id":null,"error":{"code":-32005,"message":"${SLOW}"}}`)
    expect([subscriptions(), ends]).toEqual([0, []])
    const count = sent.length
    session.message('ignored')
    expect(sent.length).toBe(count)
    read()
    await until(() => ends.length > 0)
    expect(ends).toEqual([`1008 ${SLOW}`])
    session.closed()
  })

  test('when it never reads, then queued messages are discarded', () => {
    jest.useFakeTimers()
    try {
      const { notify, ends } = start(() => reply(''))
      for (let i = 0; i <= NOTIFICATION_BUFFER_BYTES_MAX / MEGABYTE.length; i++) notify(MEGABYTE)
      expect(ends).toEqual([])
      jest.advanceTimersByTime(CUT_GRACE_MS)
      expect(ends).toEqual(['terminated'])
    } finally {
      jest.useRealTimers()
    }
  })

  test('when it reads a long answer, then notifications behind the answer do not disconnect it', () => {
    const { session, notify, sent, read } = start(() => reply(MEGABYTE.repeat(32)))
    for (let i = 0; i < 3; i++) {
      notify(MEGABYTE)
      read()
    }
    session.message('long')
    for (let i = 0; i < 3; i++) notify(MEGABYTE)
    expect(sent.some(text => text.includes('Closing'))).toBe(false)
    notify(MEGABYTE)
    notify(MEGABYTE)
    expect(sent.at(-1)).toContain(SLOW)
    session.closed()
  })

  test('when it keeps sending without reading, then it is disconnected', () => {
    const { session, sent } = start(() => reply(MEGABYTE))
    for (let i = 0; i < 8; i++) session.message('request')
    for (let i = 0; i <= WAITING_MAX; i++) session.message('request of some length')
    expect(sent.at(-1)).toContain('too many of its requests are waiting')
    session.closed()
  })
})

/** An answer of so many megabytes, as methods make it. */
const inPieces = (megabytes: number): Reply => ({
  status: 200,
  body: ['{"jsonrpc":"2.0","id":"a","result":', ...Array.from({ length: megabytes }, () => MEGABYTE), '}'],
})

describe('given an answer that is very long', () => {
  test('when the runtime accepts parts, then they are created as fast as the client reads, and other messages wait', async () => {
    const { session, sent, parts, read, notify } = start(
      body => (body === 'long' ? inPieces(40) : reply(body)),
      true,
    )
    session.message('long')
    notify('news')
    await until(() => parts.length > 2)
    await turns(50)
    expect(parts.length).toBeLessThan(REPLY_BUFFER_BYTES_MAX / MEGABYTE.length + 4)
    expect(sent).toEqual([])
    session.message('short')
    await until(
      () => {
        read()
        return sent.length >= 3
      },
      { pollMs: 1 },
    )
    expect(sent.map(text => text.length)).toEqual([40 * MEGABYTE.length + 36, 4, 5])
    expect(sent.slice(1)).toEqual(['news', 'short'])
  })

  test('when its client stops reading between parts, then it is closed without another message', async () => {
    const { session, parts, sent, read, notify, ends } = start(() => inPieces(40), true)
    session.message('long')
    await until(() => parts.length > 2)
    for (let i = 0; i < 5; i++) notify(MEGABYTE)
    read()
    await until(() => ends.length > 0)
    expect([sent, ends]).toEqual([[], [`1008 ${SLOW}`]])
  })

  test('when the runtime accepts only whole messages, then the error has the id of the request', async () => {
    const most = WHOLE_MESSAGE_BYTES_MAX / MEGABYTE.length
    const { session, sent, read } = start(body => inPieces(Number(body)))
    session.message(String(most - 1))
    read()
    session.message(String(most))
    await until(() => sent.length > 1)
    expect(sent[0]?.length).toBeGreaterThan((most - 1) * MEGABYTE.length)
    expect(JSON.parse(sent[1] as string)).toEqual({
      jsonrpc: '2.0',
      id: 'a',
      error: {
        code: -32005,
        message:
          'Answer exceeds the size limit of a message (more than 16 MB over WebSocket: reduce the request, or use HTTP)',
      },
    })
  })
})

describe('given a client that may have compression', () => {
  const answerOf = (length: number): Reply => reply('x'.repeat(length))

  test.each([
    [COMPRESSED_MESSAGE_LENGTH_MIN - 1, false],
    [COMPRESSED_MESSAGE_LENGTH_MIN, true],
    [COMPRESSED_LENGTH_MAX, true],
    [COMPRESSED_LENGTH_MAX + 1, false],
  ])('when an answer has %p characters, then it is compressed: %p', (length, isCompressed) => {
    const { session, compressed, sent } = start(() => answerOf(length))
    session.message('request')
    expect([sent.length, compressed.length]).toEqual([1, isCompressed ? 1 : 0])
    session.closed()
  })

  test('when a notification comes, then it is not', () => {
    const { session, notify, compressed } = start(() => reply(''))
    notify('x'.repeat(COMPRESSED_MESSAGE_LENGTH_MIN))
    expect(compressed).toEqual([])
    session.closed()
  })
})

describe('given many messages in one turn', () => {
  test('when its time is over, then the rest waits for a later one, in order', async () => {
    const { promise: later, resolve: startLater } = Promise.withResolvers<void>()
    let begun = 0
    const { session, sent } = start(
      body => reply(body),
      false,
      () => (++begun > 2 ? later : undefined),
    )
    for (let i = 0; i < 100; i++) session.message(`{"id":${i},"method":"a"}`)
    expect(sent).toHaveLength(2)
    startLater()
    await until(() => sent.length === 100)
    expect(sent.map(text => Number(/\d+/.exec(text)?.[0]))).toEqual(Array.from({ length: 100 }, (_, i) => i))
    session.closed()
  })

  test('when they are too short for a request, then the connection ends after some thousand', () => {
    const { session, sent, ends } = start(body => reply(body))
    for (let i = 0; i < 50_000; i++) session.message('x')
    expect(ends[0]).toBe('terminated')
    expect(sent.length).toBeLessThan(40_000)
    session.closed()
  })
})

describe('given requests that take long', () => {
  test('when there are many, then a limited number runs at the same time', async () => {
    const waiting: ((reply: Reply) => void)[] = []
    const { session, sent } = start(() => new Promise(resolve => void waiting.push(resolve)))
    const total = IN_WORK_MAX + 5
    for (let i = 0; i < total; i++) session.message('request')
    expect(waiting.length).toBe(IN_WORK_MAX)
    for (let answered = 0; answered < total; answered++) {
      await until(() => waiting.length > answered)
      waiting[answered]?.(reply(`answer ${answered}`))
    }
    await until(() => sent.length === total)
    expect(sent[0]).toBe('answer 0')
    session.closed()
  })

  test('when the connection is closed, then nothing more is sent', async () => {
    const waiting: ((reply: Reply) => void)[] = []
    const { session, sent } = start(() => new Promise(resolve => void waiting.push(resolve)))
    session.message('request')
    session.closed()
    waiting[0]?.(reply('late'))
    await turns(3)
    expect(sent).toEqual([])
  })
})

test('given an error of the server itself, when a message causes it, then the client gets an answer and the operator a report', async () => {
  const fault = new Error('fault')
  const { session, sent, errors } = start(body => {
    if (body === 'now') throw fault
    return Promise.reject(fault)
  })
  session.message('now')
  session.message('later')
  await until(() => sent.length === 2)
  const internal = '{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"Internal error"}}'
  expect([sent, errors]).toEqual([
    [internal, internal],
    [fault, fault],
  ])
  session.closed()
})
