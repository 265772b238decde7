import { connect, type Socket } from 'node:net'
import type { AttackContext } from './attack.ts'
import { startUplink, type Uplink } from './uplink.ts'

/** Opens more connections at once than this, and they wait in the system's queue for the node, and others with them. */
const OPENED_AT_ONCE = 50
const OPENING_MS = 20

const SPACES = Buffer.alloc(64 * 1024, ' ')

/** Sends `bytes` of a body as the line and the connection take them. */
const sendBody = (socket: Socket, bytes: number, uplink: Uplink): void => {
  let left = bytes
  const write = (): void => {
    while (left > 0 && socket.writable) {
      if (!uplink.isFree(write)) return
      const part = SPACES.subarray(0, left)
      left -= part.length
      uplink.take(part.length)
      if (!socket.write(part)) return
    }
  }
  socket.on('drain', write)
  write()
}

export type HeldBodies = { readonly count: number; readonly bytes: number }

/**
 * Sends the heads of requests to the first validator, and of each body all but its last byte, and holds them for `ms`. Gives
 * how many were refused with 503.
 */
export const holdBodies = async (
  { cluster }: AttackContext,
  bodies: readonly HeldBodies[],
  ms: number,
): Promise<number> => {
  const { hostname, port } = new URL(cluster.node(1).url)
  const uplink = startUplink()
  let refused = 0
  const open = (bytes: number): Socket => {
    const socket = connect(Number(port), hostname)
    // The node ends what stays silent.
    socket.on('error', () => undefined)
    socket.on('data', data => {
      if (!data.toString().startsWith('HTTP/1.1 503')) return
      refused++
      // What is on its way would fill the memory that the system has for all connections.
      socket.destroy()
    })
    socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${bytes}\r\n\r\n`)
    sendBody(socket, bytes - 1, uplink)
    return socket
  }
  const sockets: Socket[] = []
  for (const { count, bytes } of bodies)
    for (let index = 0; index < count; index++) {
      sockets.push(open(bytes))
      if (sockets.length % OPENED_AT_ONCE === 0) await Bun.sleep(OPENING_MS)
    }
  await Bun.sleep(ms)
  uplink.stop()
  for (const socket of sockets) socket.destroy()
  return refused
}
