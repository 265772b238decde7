import type { Address } from '../../core/bytes/bytes.ts'
import { toBareHex } from '../../core/bytes/hex.ts'
import { requestRange } from '../blocks/ranges.ts'
import { requestRecords } from '../blocks/records.ts'
import { sendConsensusMessage } from '../consensus.ts'
import { requestPoolHashes, requestPoolTransactions } from '../gossip/poolLists.ts'
import type { Network } from '../network.ts'
import { connectionWith } from '../peers/peerTable.ts'
import type { Parts } from './parts.ts'
import { type Enode, EnodeError, formatEnode, parseEnode } from '../transport/enode.ts'
import { idOf } from '../transport/identity.ts'

const sendConsensusTo = (parts: Parts, address: Address, code: number, data: Uint8Array): boolean => {
  const { table, connections, protocols, options } = parts
  const connection = table.ofAddress(address)?.connections[0]
  if (connection === undefined) return false
  return sendConsensusMessage(connection, protocols.consensus, code, data, {
    pause: options.pause,
    onFailure: reason => connections.close(connection, reason, false),
  })
}

const addPeer = ({ isOwn, scoring, dialer }: Parts, text: string): boolean => {
  const enode = parseEnode(text)
  if (isOwn(enode)) throw new EnodeError('LOCAL_NODE', text, 'Cannot add local node as peer.')
  scoring.forgive(idOf(enode.publicKey))
  const added = dialer.add(enode, 'static')
  dialer.tick()
  return added
}

const closeConnections = ({ table, connections }: Parts, id: string): void => {
  for (const connection of table.get(id)?.connections.slice() ?? [])
    connections.close(connection, 'removed by the operator', true)
}

const removePeer = (parts: Parts, text: string): boolean => {
  const id = idOf(parseEnode(text).publicKey)
  if (!parts.dialer.removeStatic(id)) return false
  closeConnections(parts, id)
  return true
}

/** The network over libp2p, which can be told of nodes that are connected over another transport. */
export type Libp2pNetwork = Network & {
  /** Dials a node: a static one until it is connected, another one a few times where there is room. A ban stays. */
  dialAlso(enode: Enode, isStatic: boolean): void
  /** Stops dialing a node and disconnects it, whether it is a static one or not. */
  forget(id: string): void
}

const stop = async (parts: Parts, stopTimers: () => void): Promise<void> => {
  if (parts.state.isStopped) return
  parts.state.isStopped = true
  stopTimers()
  parts.statusBroadcast.stop()
  parts.discovery.stop()
  await parts.gossip.stop()
  parts.blocks.stop()
  await parts.connections.stop('the node stops')
  await parts.host.stop()
}

/** The `Network` interface over the running parts. */
export const networkOf = (parts: Parts, stopTimers: () => void): Libp2pNetwork => {
  const { options, ownKey, state, table, events, protocols, gossip, blocks, scoring } = parts
  const { port } = state
  return {
    enode: formatEnode({ publicKey: ownKey, host: options.advertisedHost, port }),
    port,
    peers: () => [...table.all()].map(({ peer }) => peer),
    sendConsensus: (to, code, data) => {
      state.consensusSentAtMs = options.nowMs()
      return to.filter(address => sendConsensusTo(parts, address, code, data)).length
    },
    announceTransactions: transactions => gossip.announce(transactions),
    announceBlock: (number, hash, block) => blocks.announce(number, hash, block),
    sendStatus: () => parts.statusBroadcast.request(),
    requestBlocks: (peer, from, count, signal) =>
      requestRange(connectionWith(table, peer), protocols.ranges, from, count, signal),
    requestRecords: (peer, from, count, signal) =>
      requestRecords(connectionWith(table, peer), protocols.records, from, count, signal),
    requestPoolHashes: (peer, signal) =>
      requestPoolHashes(connectionWith(table, peer), protocols.pool, signal),
    requestPoolTransactions: (peer, hashes, signal) =>
      requestPoolTransactions(connectionWith(table, peer), protocols.pool, hashes, signal),
    reportMisbehaviour: (address, what, detail) => {
      const connection = table.ofAddress(address)?.connections[0]
      const id = connection?.id ?? toBareHex(address)
      if (connection !== undefined) events.misbehaved.emit(connection, what, detail)
      // Scored as well: the peer may reconnect soon.
      else scoring.report(id, `0x${id}`, what, detail)
      if (what === 'invalid-block') blocks.distrust(id)
    },
    addPeer: async text => addPeer(parts, text),
    removePeer: async text => removePeer(parts, text),
    dialAlso: (enode, isStatic) => void parts.dialer.add(enode, isStatic ? 'static' : 'learned'),
    forget: id => {
      parts.dialer.forget(id)
      closeConnections(parts, id)
    },
    stop: () => stop(parts, stopTimers),
  }
}
