import type { Socket } from 'bun'
import type { Protocol } from './protocol.ts'

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
  readonly protocol: Protocol
  readonly connections: number
  /** The body of the next request, undefined when there are no more. */
  readonly next: () => string | undefined
  readonly seconds: number
}

type Connection = {
  readonly isEnded: (chunk: Buffer) => boolean
  /** Undefined while the connection is being opened. */
  sentAtMs: number | undefined
}

const ERROR = '"error":'

/**
 * Sends requests over plain TCP, on each connection the next one when the last is answered. It finds where answers end and
 * looks for errors, and no more: a client that parsed what it gets would measure itself.
 * @throws at the first error in an answer
 */
export const runLoad = async (options: LoadOptions): Promise<LoadResult> => {
  const { port, protocol, connections, next, seconds } = options
  const latencies: number[] = []
  let open = connections
  const done = Promise.withResolvers<void>()
  const startMs = performance.now()
  const endMs = startMs + seconds * 1000
  const usedBefore = process.cpuUsage()

  const write = (socket: Socket<Connection>, bytes: Uint8Array): void => {
    if (socket.write(bytes) !== bytes.length) done.reject(new Error('a request was not taken whole'))
  }
  const send = (socket: Socket<Connection>): void => {
    const nowMs = performance.now()
    const body = nowMs < endMs ? next() : undefined
    if (body === undefined) {
      socket.end()
      return
    }
    socket.data.sentAtMs = nowMs
    write(socket, protocol.encode(body))
  }
  const receive = (socket: Socket<Connection>, chunk: Buffer): void => {
    const errorAt = chunk.indexOf(ERROR)
    if (errorAt >= 0) throw new Error(`an error: ${chunk.toString('latin1', errorAt, errorAt + 500)}`)
    if (!socket.data.isEnded(chunk)) return
    const { sentAtMs } = socket.data
    if (sentAtMs !== undefined) latencies.push(performance.now() - sentAtMs)
    send(socket)
  }
  const handlers = {
    open: (socket: Socket<Connection>) => {
      socket.setNoDelay(true)
      if (protocol.greeting === undefined) send(socket)
      else write(socket, protocol.greeting)
    },
    data: receive,
    error: (_: unknown, error: Error) => done.reject(error),
    close: () => {
      if (--open === 0) done.resolve()
    },
  }
  const sockets = await Promise.all(
    Array.from({ length: connections }, () =>
      Bun.connect<Connection>({
        hostname: '127.0.0.1',
        port,
        data: { isEnded: protocol.createReader(), sentAtMs: undefined },
        socket: handlers,
      }),
    ),
  )
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
