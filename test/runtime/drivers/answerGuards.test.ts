import { describe, expect, test } from 'bun:test'
import { createServer, type Socket } from 'node:net'
import { ANSWER_BYTES_MAX, VALUE_BYTES_MAX } from '../../../runtime/drivers/guards/answerLimits.ts'
import type { Guard } from '../../../runtime/drivers/guards/guardStream.ts'
import { createPostgresqlGuard } from '../../../runtime/drivers/guards/postgresqlGuard.ts'
import { openPostgresqlDriver } from '../../../runtime/drivers/postgresql.ts'
import { createRedisGuard } from '../../../runtime/drivers/guards/redisGuard.ts'
import { openRedisDriver } from '../../../runtime/drivers/redis.ts'
import { rejection } from '../../support/rejection.ts'

const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'latin1'))
const MEGABYTE = new Uint8Array(1024 * 1024).fill(0x61)

/** Gives a guard the bytes at once, and byte by byte. */
const refusalOf = (create: () => Guard, ...chunks: readonly Uint8Array[]): string | undefined => {
  const guard = create()
  try {
    for (const chunk of chunks) guard(chunk)
    return undefined
  } catch (error) {
    return String(error)
  }
}
const singleBytes = (bytes: Uint8Array): readonly Uint8Array[] =>
  Array.from(bytes, byte => Uint8Array.of(byte))

describe('given the replies of a Redis server', () => {
  const reply = bytesOf(
    '+OK\r\n$3\r\na\nb\r\n*3\r\n$-1\r\n:12\r\n*2\r\n$0\r\n\r\n-ERR no\r\n*-1\r\n*0\r\n$1\r\nx\r\n',
  )

  test('when they are right, at once or byte by byte, then they pass', () => {
    expect(refusalOf(createRedisGuard, reply, reply)).toBeUndefined()
    expect(refusalOf(createRedisGuard, ...singleBytes(reply), ...singleBytes(reply))).toBeUndefined()
  })

  test.each([
    ['a value that is announced too long', [bytesOf('$2000000000\r\n')], 'a value of 2000000000 bytes'],
    ['a list that is announced too long', [bytesOf('*1000000000\r\n')], 'more than 1000000 items'],
    ['lists in lists', [bytesOf('*1\r\n'.repeat(9))], 'nests deeper than 8 levels'],
    ['a line without an end', [bytesOf('+'), MEGABYTE], 'a line of more than 65536 bytes'],
    ['what is no protocol', [bytesOf('HTTP/1.1 200 OK\r\n')], 'not of the protocol of Redis'],
    ['a length that is not a number', [bytesOf('$1e9\r\n')], 'not of the protocol of Redis'],
  ])('when they have %s, then they are refused before the rest', (_, chunks, reason) => {
    expect(refusalOf(createRedisGuard, ...chunks)).toContain(reason)
  })

  test('when many values are too long together, then they are refused where that shows', () => {
    const guard = createRedisGuard()
    guard(bytesOf('*3\r\n'))
    guard(bytesOf(`$${VALUE_BYTES_MAX}\r\n`))
    for (let sent = 0; sent < VALUE_BYTES_MAX; sent += MEGABYTE.length) guard(MEGABYTE)
    guard(bytesOf('\r\n'))
    expect(() => guard(bytesOf(`$${VALUE_BYTES_MAX}\r\n`))).toThrow(`longer than ${ANSWER_BYTES_MAX} bytes`)
  })
})

describe('given the messages of a PostgreSQL server', () => {
  const message = (type: string, body: Uint8Array | string, length = body.length + 4): Uint8Array => {
    const bytes = typeof body === 'string' ? bytesOf(body) : body
    const whole = Buffer.alloc(5 + bytes.length)
    whole.write(type, 0, 'latin1')
    whole.writeUInt32BE(length, 1)
    whole.set(bytes, 5)
    return new Uint8Array(whole)
  }

  test('when they are right, at once or byte by byte, then they pass', () => {
    const messages = [message('R', '\0\0\0\0'), message('D', 'a row'), message('Z', 'I')]
    expect(refusalOf(createPostgresqlGuard, ...messages)).toBeUndefined()
    expect(refusalOf(createPostgresqlGuard, ...messages.flatMap(singleBytes))).toBeUndefined()
  })

  test('when one is announced too long, or shorter than its length, then it is refused at its header', () => {
    expect(refusalOf(createPostgresqlGuard, message('R', '', 0x7fffffff))).toContain(
      'a message of 2147483647 bytes',
    )
    expect(refusalOf(createPostgresqlGuard, message('R', '', 3))).toContain('not of the protocol')
  })

  test('when a result has rows without an end, then it is refused, however short they are', () => {
    const rows = new Uint8Array(Buffer.concat(Array.from({ length: 10_000 }, () => message('D', ''))))
    expect(refusalOf(createPostgresqlGuard, ...Array.from({ length: 100 }, () => rows))).toContain(
      'longer than',
    )
    const ended = new Uint8Array(Buffer.concat([rows, message('Z', 'I')]))
    expect(refusalOf(createPostgresqlGuard, ...Array.from({ length: 100 }, () => ended))).toBeUndefined()
  })
})

/** A server that answers whatever it is sent with these bytes. */
const withServer = async (
  answer: (socket: Socket) => void,
  work: (port: number) => Promise<void>,
): Promise<void> => {
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('data', () => answer(socket))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  try {
    await work((server.address() as { readonly port: number }).port)
  } finally {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
}

describe('given a hostile server', () => {
  test('when it announces a value of two gigabytes, then the client of Redis ends the connection and says why', async () => {
    await withServer(
      socket => socket.write('$2000000000\r\n'),
      async port => {
        const error = await rejection(openRedisDriver({ url: `redis://127.0.0.1:${port}` }))
        expect(String(error)).toContain('a value of 2000000000 bytes')
      },
    )
  })

  test('when it announces a message of two gigabytes, then the client of PostgreSQL ends the connection and says why', async () => {
    await withServer(
      socket => socket.write(Uint8Array.of(0x52, 0x7f, 0xff, 0xff, 0xff)),
      async port => {
        const url = `postgres://user:secret@127.0.0.1:${port}/chain`
        expect(String(await rejection(openPostgresqlDriver({ url })))).toContain(
          'a message of 2147483647 bytes',
        )
      },
    )
  })
})
