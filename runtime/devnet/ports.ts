import { createServer, type Server } from 'node:net'

/**
 * Range below the ports of outgoing connections (from 32,768 on Linux, 49,152 elsewhere), which could take a port between
 * its release here and its use.
 */
const PORT_MIN = 10_000
const PORT_MAX = 32_767

/** Maximum attempts for each port. */
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

/** Finds `count` free ports of the loopback interface: holds all at once, so that none is returned twice, then releases them. */
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

/** Returns the ports that cannot be used on the loopback interface: another program listens there, or the system forbids it. */
export const takenPorts = async (ports: readonly number[]): Promise<readonly number[]> => {
  const taken: number[] = []
  for (const port of ports) {
    const server = await listen(port)
    if (server === undefined) taken.push(port)
    else await close(server)
  }
  return taken
}
