import { errorText } from '../../../core/text/errorText.ts'
import { createSocket, type Socket } from 'node:dgram'
import { isIPv6 } from 'node:net'
import { NetworkError } from '../../error.ts'
import { startDiscovery } from '../discovery/discovery.ts'
import { encodeRecord } from '../discovery/record.ts'
import type { Devp2pNode } from './devp2pNode.ts'
import { ownForkId } from './statusExchange.ts'

/** Discovery as the node has it: where it listens, and how to end it. */
export type NodeDiscovery = { readonly port: number; stop(): void }

const bind = (host: string, port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4')
    socket.once('error', (cause: Error & { readonly code?: string }) => {
      const code = cause.code === 'EADDRINUSE' ? 'PORT_IN_USE' : 'LISTEN_FAILED'
      reject(new NetworkError(code, `cannot listen on ${host}:${port} (UDP): ${errorText(cause)}`, { cause }))
    })
    socket.bind(port, host, () => resolve(socket))
  })

/** Binds the port of the connections if it is free for UDP; another port only if the options leave the choice. */
const bindDiscovery = async ({ options, port }: Devp2pNode): Promise<Socket> => {
  try {
    return await bind(options.host, port)
  } catch (error) {
    if (options.port !== 0) throw error
    return bind(options.host, 0)
  }
}

/** Starts discovery beside the connections that are listened for. @throws NetworkError when it cannot listen on the port */
export const startNodeDiscovery = async (node: Devp2pNode): Promise<NodeDiscovery> => {
  const { options, ownKey, random, log, table, parts } = node
  const socket = await bindDiscovery(node)
  const { port } = socket.address()
  const endpoint = { host: options.advertisedHost, udp: port, tcp: node.port }
  const startedAtMs = options.nowMs()
  const discovery = startDiscovery({
    socket,
    privateKey: options.privateKey,
    ownKey,
    endpoint,
    bootnodes: [...node.bootnodes, ...node.staticNodes].filter(({ discoveryPort }) => discoveryPort !== 0),
    record: () => {
      // Later at each start, as the record may have changed.
      const sequence = BigInt(startedAtMs)
      return { sequence, bytes: encodeRecord(options.privateKey, sequence, endpoint, ownForkId(node)) }
    },
    wantsPeers: () => !node.isStopped && table.size < options.maxPeers,
    onNode: enode => {
      if (!node.isStopped) parts.dialer.add(enode, 'learned')
    },
    random,
    nowMs: options.nowMs,
    log,
  })
  return { port, stop: () => discovery.stop() }
}
