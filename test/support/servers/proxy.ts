import { connect, createServer, type Socket } from 'node:net'

/** A TCP proxy in front of a server, for tests that disturb what passes through. */
export type Proxy = {
  readonly port: number
  /** Delays every chunk in both directions. */
  delayMs: number
  /** Called with each chunk of a client before it is passed on; false drops the connection instead. */
  onClientData: (chunk: Uint8Array) => boolean
  close(): Promise<void>
}

/** Starts a proxy on a free port of this machine. */
export const startProxy = async (targetPort: number): Promise<Proxy> => {
  const sockets = new Set<Socket>()
  const proxy = {
    port: 0,
    delayMs: 0,
    onClientData: (_chunk: Uint8Array): boolean => true,
    close: async (): Promise<void> => {
      for (const socket of sockets) socket.destroy()
      await new Promise(resolve => server.close(resolve))
    },
  }
  const pass = (to: Socket, chunk: Uint8Array): void => {
    if (proxy.delayMs === 0) to.write(chunk)
    else setTimeout(() => to.write(chunk), proxy.delayMs)
  }
  const server = createServer(client => {
    const target = connect(targetPort, '127.0.0.1')
    for (const [one, other] of [
      [client, target],
      [target, client],
    ] as const) {
      sockets.add(one)
      one.on('error', () => undefined)
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
    }
    client.on('data', chunk => {
      if (proxy.onClientData(chunk)) pass(target, chunk)
      else client.destroy()
    })
    target.on('data', chunk => pass(client, chunk))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  proxy.port = address.port
  return proxy
}
