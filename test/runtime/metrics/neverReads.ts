import { connect, type Socket } from 'node:net'

export type NeverReading = {
  /** Reads until the server has closed all connections, and returns the number of answers. */
  answers(): Promise<number>
  end(): void
}

const REQUEST = 'GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n'

/** Opens connections, sends a number of requests at once on each, and reads no answer until it is asked for them. */
export const neverReads = (
  url: string,
  { connections, requests }: { readonly connections: number; readonly requests: number },
): NeverReading => {
  const { hostname, port } = new URL(url)
  let answers = 0
  const sockets = Array.from({ length: connections }, () => {
    const socket: Socket = connect({ host: hostname, port: Number(port) }, () => {
      if (requests > 0) socket.write(REQUEST.repeat(requests))
    })
    socket.pause()
    // A reset is one way to end a connection.
    socket.on('error', () => undefined)
    return socket
  })
  return {
    answers: async () => {
      const read = sockets.map(
        socket =>
          new Promise<void>(resolve => {
            socket.on('data', (data: Buffer) => {
              answers += data.toString().split('HTTP/1.1 ').length - 1
            })
            if (socket.closed) resolve()
            else socket.once('close', resolve)
            socket.resume()
          }),
      )
      await Promise.all(read)
      return answers
    },
    end: () => {
      for (const socket of sockets) socket.destroy()
    },
  }
}
