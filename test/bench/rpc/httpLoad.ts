import type { Socket } from 'bun'

/** What one run of a client saw. */
export type LoadResult = {
  readonly requests: number
  readonly seconds: number
  /** From sending a request to the last byte of its answer, milliseconds, ascending. */
  readonly latencies: Float64Array
  /** Share of one core that the client itself used: near 1 it would measure itself. */
  readonly clientCpu: number
}

export type LoadOptions = {
  readonly port: number
  readonly connections: number
  /** The body of the next request, undefined when there are no more. */
  readonly next: () => string | undefined
  readonly seconds: number
}

type Connection = {
  sentAtMs: number
  /** Bytes of the answer so far, its head included. */
  received: number
  /** Bytes of the whole answer; -1 while its head has not come. */
  length: number
  head: string
}

const decoder = new TextDecoder()
const encoder = new TextEncoder()

const CONTENT_LENGTH = /content-length: *(\d+)/i

const requestOf = (port: number, body: string): Uint8Array =>
  encoder.encode(
    `POST / HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )

/** Longer heads are no answer of ours or of anvil. */
const HEAD_LENGTH_MAX = 4096
const ERROR = '"error":'

/**
 * Sends requests over plain TCP, on each connection the next one when the last is answered. It reads the length of an answer
 * and looks for errors, and no more: a client that parsed what it gets would measure itself.
 * @throws at the first error in an answer
 */
export const runHttpLoad = async ({ port, connections, next, seconds }: LoadOptions): Promise<LoadResult> => {
  const latencies: number[] = []
  let open = 0
  const done = Promise.withResolvers<void>()
  const startMs = performance.now()
  const endMs = startMs + seconds * 1000
  const usedBefore = process.cpuUsage()

  const send = (socket: Socket<Connection>): void => {
    const nowMs = performance.now()
    const body = nowMs < endMs ? next() : undefined
    if (body === undefined) {
      socket.end()
      return
    }
    socket.data.sentAtMs = nowMs
    socket.data.received = 0
    socket.data.length = -1
    socket.data.head = ''
    const request = requestOf(port, body)
    if (socket.write(request) !== request.length) done.reject(new Error('a request was not taken whole'))
  }
  const receive = (socket: Socket<Connection>, chunk: Buffer): void => {
    const { data } = socket
    data.received += chunk.length
    const errorAt = chunk.indexOf(ERROR)
    if (errorAt >= 0) done.reject(new Error(`an error: ${chunk.toString('latin1', errorAt, errorAt + 500)}`))
    if (data.length < 0) {
      data.head += decoder.decode(chunk.subarray(0, HEAD_LENGTH_MAX))
      const end = data.head.indexOf('\r\n\r\n')
      if (end < 0) return
      const length = CONTENT_LENGTH.exec(data.head.slice(0, end))?.[1]
      if (length === undefined || !data.head.startsWith('HTTP/1.1 200')) {
        done.reject(new Error(`an answer that is none: ${data.head.slice(0, 1000)}`))
        return
      }
      data.length = end + 4 + Number(length)
    }
    if (data.received < data.length) return
    latencies.push(performance.now() - data.sentAtMs)
    send(socket)
  }

  const sockets = await Promise.all(
    Array.from({ length: connections }, () =>
      Bun.connect<Connection>({
        hostname: '127.0.0.1',
        port,
        data: { sentAtMs: 0, received: 0, length: -1, head: '' },
        socket: {
          data: receive,
          error: (_, error) => done.reject(error),
          close: () => {
            if (--open === 0) done.resolve()
          },
        },
      }),
    ),
  )
  open = sockets.length
  for (const socket of sockets) socket.setNoDelay(true)
  for (const socket of sockets) send(socket)
  try {
    await done.promise
  } finally {
    for (const socket of sockets) socket.terminate()
  }
  const ms = performance.now() - startMs
  const { user, system } = process.cpuUsage(usedBefore)
  return {
    requests: latencies.length,
    seconds: ms / 1000,
    latencies: Float64Array.from(latencies).sort(),
    clientCpu: (user + system) / 1000 / ms,
  }
}
