import { createServer, type Server } from 'node:net'

/**
 * Below what systems give to outgoing connections (from 32,768 on Linux, 49,152 elsewhere): one of those may take a port
 * between being let go here and being listened at.
 */
const PORT_MIN = 10_000
const PORT_MAX = 32_767

/** Ports that are tried for each that is found; a machine on which so many are taken has other worries. */
const TRIES_MAX = 100

const listen = (port: number): Promise<Server | undefined> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' || error.code === 'EACCES' ? resolve(undefined) : reject(error),
    )
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => resolve(server))
  })

const somePort = (): number => PORT_MIN + Math.floor(Math.random() * (PORT_MAX - PORT_MIN + 1))

const close = (server: Server): Promise<void> => new Promise(resolve => server.close(() => resolve()))

/** So many free ports of the loopback interface: all are held at once, so that none is given twice, then let go. */
export const freePorts = async (count: number): Promise<readonly number[]> => {
  const held = new Map<number, Server>()
  try {
    for (let tries = count * TRIES_MAX; held.size < count; tries--) {
      if (tries === 0) throw new Error(`no ${count} free ports from ${PORT_MIN} to ${PORT_MAX} on 127.0.0.1`)
      const port = somePort()
      if (held.has(port)) continue
      const server = await listen(port)
      if (server !== undefined) held.set(port, server)
    }
    return [...held.keys()]
  } finally {
    await Promise.all([...held.values()].map(close))
  }
}

/** Those of the ports at which nothing can listen on the loopback interface: another program does, or the system forbids it. */
export const takenPorts = async (ports: readonly number[]): Promise<readonly number[]> => {
  const taken: number[] = []
  for (const port of ports) {
    const server = await listen(port)
    if (server === undefined) taken.push(port)
    else await close(server)
  }
  return taken
}
