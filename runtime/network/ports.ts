import { createServer, type Server } from 'node:net'

const listen = (): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => resolve(server))
  })

const portOf = (server: Server): number => {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a listening socket has no port')
  return address.port
}

/** So many free ports of the loopback interface: all are held at once, so that none is given twice, then let go. */
export const freePorts = async (count: number): Promise<readonly number[]> => {
  const servers = await Promise.all(Array.from({ length: count }, listen))
  const ports = servers.map(portOf)
  await Promise.all(servers.map(server => new Promise(resolve => server.close(resolve))))
  return ports
}
