import { errorText } from '../../core/text/errorText.ts'
import { DIAL_INTERVAL_MS, DIALS_MAX, SUPERVISION_INTERVAL_MS } from '../limits.ts'
import { createServer, type Server } from 'node:net'
import { compareBytes } from '../../core/bytes/bytes.ts'
import { addressOfPublicKey } from '../../core/crypto/crypto.ts'
import { NetworkError } from '../error.ts'
import type { ListenAddress } from '../network.ts'
import { createDialer, type Dialer } from '../peers/dialer.ts'
import { enodesOf } from '../peers/peerExchange.ts'
import { createServing } from './eth/serving.ts'
import { createBlockPropagation } from './node/blockPropagation.ts'
import { acceptSocket, dial, isConnected, refusalOf } from './node/connections.ts'
import { startNodeDiscovery } from './node/startNodeDiscovery.ts'
import { createConsensusMessages } from './node/consensus.ts'
import { createNeighbours } from './node/neighbours.ts'
import { createDevp2pNode, type Devp2pNode, type Devp2pOptions } from './node/devp2pNode.ts'
import { type Devp2pNetwork, networkOf } from './node/networkOf.ts'
import { createSessionEvents } from './node/sessionEvents.ts'
import { createTransactionPropagation } from './node/transactionPropagation.ts'
import { abortSession, disconnectSession } from './session/ending.ts'
import { superviseSession } from './session/keepAlive.ts'
import { nameOf, type SessionEvents } from './session/session.ts'

const dialerOf = (node: Devp2pNode, events: SessionEvents): Dialer =>
  createDialer({
    dial: enode => dial(node, enode, events),
    isConnected: id => isConnected(node, id),
    isBanned: id => node.scoring.isBanned(id),
    refuses: node.options.refuses,
    isValidator: publicKey => node.handlers.roleOf(addressOfPublicKey(publicKey)) === 'validator',
    isLower: publicKey => compareBytes(publicKey, node.ownKey) < 0,
    bootnodesFirst: node.options.bootnodesFirst,
    freeSlots: () => node.options.maxPeers - node.table.size,
    dialsMax: DIALS_MAX,
    onFailed: (enode, reason) => node.handlers.onDialFailed?.(enode, reason),
    nowMs: node.options.nowMs,
    log: node.log,
  })

const listen = (server: Server, { host, port }: ListenAddress, ipv6Only: boolean): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', (cause: Error & { readonly code?: string }) => {
      const code = cause.code === 'EADDRINUSE' ? 'PORT_IN_USE' : 'LISTEN_FAILED'
      const text = `cannot listen on ${host}:${port}: ${errorText(cause)}`
      reject(new NetworkError(code, text, { cause }))
    })
    server.listen({ port, host, ipv6Only }, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })

/** Listens on the addresses of the node. @returns what ends that. @throws NetworkError when it cannot listen on one of them */
const startListening = async (node: Devp2pNode, events: SessionEvents): Promise<() => Promise<void>> => {
  const { options } = node
  const servers: Server[] = []
  const close = async (): Promise<void> => {
    await Promise.all(servers.map(server => new Promise<void>(resolve => server.close(() => resolve()))))
  }
  const listenOn = (address: ListenAddress, ipv6Only: boolean): Promise<number> => {
    const server = createServer(socket => void acceptSocket(node, socket, events))
    servers.push(server)
    return listen(server, address, ipv6Only)
  }
  try {
    node.port = await listenOn(options, false)
    // The other one may listen on the same port over IPv4.
    if (options.ipv6 !== undefined) await listenOn(options.ipv6, true)
  } catch (error) {
    await close()
    throw error
  }
  return close
}

/** Bytes of incomplete messages, of all connections together. */
const PENDING_BYTES_MAX = 64 * 1024 * 1024

/** Ends the connection with the largest incomplete message when all of them together exceed the limit. */
const limitPendingBytes = ({ sessions }: Devp2pNode): void => {
  const pending = [...sessions].sort((a, b) => b.reader.pendingBytes - a.reader.pendingBytes)
  const bytes = pending.reduce((sum, { reader }) => sum + reader.pendingBytes, 0)
  const [largest] = pending
  if (bytes > PENDING_BYTES_MAX && largest !== undefined)
    abortSession(
      largest,
      'its incomplete message is the largest, and all incomplete messages together are too large',
    )
}

const supervise = (node: Devp2pNode): void => {
  const now = node.options.nowMs()
  limitPendingBytes(node)
  node.options.onIncomplete?.(node.sessions.size - node.table.size)
  for (const session of node.sessions) {
    superviseSession(session, now)
    if (session.stage !== 'established') continue
    const refusal = refusalOf(node, session)
    if (refusal === undefined) continue
    node.log.info('Disconnected {peer}: {reason}', { peer: nameOf(session), reason: refusal.text })
    void disconnectSession(session, refusal.reason, refusal.text, true)
  }
}

const assemble = (options: Devp2pOptions): { readonly node: Devp2pNode; readonly events: SessionEvents } => {
  const node = createDevp2pNode(options) as Devp2pNode
  const events = createSessionEvents(node)
  node.parts = {
    dialer: dialerOf(node, events),
    serving: createServing({
      handlers: node.handlers,
      log: node.log,
      nowMs: options.nowMs,
      onFlooding: ({ session }) => events.onMisbehaviour(session, 'flooding', 'more requests than allowed'),
    }),
    blocks: createBlockPropagation(node),
    transactions: createTransactionPropagation(node),
    consensus: createConsensusMessages(node),
    neighbours: createNeighbours(node),
    discovery: undefined,
  }
  return { node, events }
}

/**
 * Listens for RLPx connections, dials bootnodes and static nodes, and maintains the connections, over the network protocols
 * of Besu and GoQuorum. Calls the handlers until the network stops.
 * @throws NetworkError when it cannot listen on the port
 * @throws EnodeError when a bootnode or static node is not an enode URL
 */
export const startDevp2p = async (options: Devp2pOptions): Promise<Devp2pNetwork> => {
  const { node, events } = assemble(options)
  const { dialer } = node.parts
  const stopListening = await startListening(node, events)
  if (options.discovery) {
    try {
      node.parts.discovery = await startNodeDiscovery(node)
    } catch (error) {
      await stopListening()
      throw error
    }
  }
  for (const enode of node.bootnodes) dialer.add(enode, 'bootnode')
  for (const enode of node.staticNodes) dialer.add(enode, 'static')
  if (options.discovery) for (const enode of enodesOf(options.learnedNodes)) dialer.add(enode, 'learned')
  dialer.tick()
  const dialing = setInterval(() => dialer.tick(), DIAL_INTERVAL_MS)
  const supervision = setInterval(() => supervise(node), SUPERVISION_INTERVAL_MS)
  return networkOf(node, async () => {
    if (node.isStopped) return
    node.isStopped = true
    clearInterval(dialing)
    clearInterval(supervision)
    node.parts.blocks.stop()
    node.parts.transactions.stop()
    node.parts.neighbours.stop()
    node.parts.discovery?.stop()
    await Promise.all(
      [...node.sessions].map(session => disconnectSession(session, 'quitting', 'the node stops')),
    )
    await stopListening()
  })
}
