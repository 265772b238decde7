import { connect, type Socket } from 'node:net'
import type { AttackContext } from './attack.ts'

/** Not the address of the watch, of the transfers and of the validators, which may have so many connections of their own. */
const ATTACKER_ADDRESS = '127.0.0.2'

export type Endpoint = { readonly host: string; readonly port: number }

export const endpointOf = (url: string): Endpoint => {
  const { hostname, port } = new URL(url)
  return { host: hostname, port: Number(port) }
}

export const httpOf = ({ cluster }: AttackContext, index: number): Endpoint =>
  endpointOf(cluster.node(index).url)

/** Sockets of one attacker, and how many of them the node ended. */
export type Sockets = { readonly open: Set<Socket>; ended: number; refused: number }

export const openSocket = (
  sockets: Sockets,
  { host, port }: Endpoint,
  first: string | Uint8Array,
): Socket => {
  const socket = connect({ host, port, localAddress: ATTACKER_ADDRESS })
  sockets.open.add(socket)
  // The node ends what takes too long or is too much.
  socket.on('error', () => socket.destroy())
  socket.on('data', data => {
    if (data.toString('latin1').startsWith('HTTP/1.1 503')) sockets.refused++
  })
  socket.on('close', () => {
    sockets.open.delete(socket)
    sockets.ended++
  })
  socket.write(first)
  return socket
}

export const closeAll = (sockets: Sockets): void => {
  for (const socket of sockets.open) socket.destroy()
}
