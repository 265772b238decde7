import type { Address } from '../../../core/bytes/bytes.ts'
import { toBareHex } from '../../../core/bytes/hex.ts'
import { NetworkError } from '../../error.ts'
import { joinHashes, splitHashes } from '../../gossip/joinedHashes.ts'
import { POOL_HASHES_MAX } from '../../gossip/poolLists.ts'
import type { Network, Peer } from '../../network.ts'
import { EnodeError, formatEnode, parseEnode } from '../../transport/enode.ts'
import { idOf } from '../../transport/identity.ts'
import { requestBlockRange } from '../eth/blockRequests.ts'
import type { EthPeer } from '../eth/ethPeer.ts'
import { disconnectSession } from '../session/ending.ts'
import type { Devp2pNode } from './devp2pNode.ts'
import { endIfSilent } from './sameKey.ts'

/** Hashes of one request for pooled transactions: both clients serve no more. */
const POOLED_AT_ONCE = 256

/** @throws NetworkError when the peer is not connected */
const ethPeerOf = (node: Devp2pNode, { address }: Peer): EthPeer => {
  const id = toBareHex(address)
  const peer = node.table.get(id)
  if (peer === undefined) throw new NetworkError('NOT_CONNECTED', `0x${id} is not connected`)
  return peer
}

const addPeer = ({ ownId, scoring, parts }: Devp2pNode, text: string): boolean => {
  const enode = parseEnode(text)
  const id = idOf(enode.publicKey)
  if (id === ownId) throw new EnodeError('LOCAL_NODE', text, 'Cannot add local node as peer.')
  scoring.forgive(id)
  const added = parts.dialer.add(enode, 'static')
  parts.dialer.tick()
  return added
}

const removePeer = ({ sessions, parts }: Devp2pNode, text: string): boolean => {
  const id = idOf(parseEnode(text).publicKey)
  if (!parts.dialer.removeStatic(id)) return false
  for (const session of sessions)
    if (session.id === id) void disconnectSession(session, 'requested', 'removed by the operator', true)
  return true
}

/** The hashes that the peer has announced: eth has no request for a whole pool, which clients announce when they connect. */
async function* announcedHashes({ announced }: EthPeer): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; at < announced.length; at += POOL_HASHES_MAX)
    yield joinHashes(announced.slice(at, at + POOL_HASHES_MAX))
}

async function* pooledTransactions(
  node: Devp2pNode,
  peer: EthPeer,
  joined: Uint8Array,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const hashes = splitHashes(joined)
  for (let at = 0; at < hashes.length && !signal.aborted; at += POOLED_AT_ONCE)
    yield* await node.parts.transactions.fetch(peer, hashes.slice(at, at + POOLED_AT_ONCE))
}

/** Where others find discovery, unless that is at the port of the connections; 0 when it is off, as Besu shows it. */
const discoveryQuery = ({ parts: { discovery }, port }: Devp2pNode): { readonly discoveryPort?: number } => {
  if (discovery === undefined) return { discoveryPort: 0 }
  return discovery.port === port ? {} : { discoveryPort: discovery.port }
}

export type Devp2pNetwork = Network & {
  /** Disconnects the peer with this address unless it answers a ping. */
  endIfSilent(address: Address): Promise<void>
}

/** The network as its host uses it, over a node that runs. */
export const networkOf = (node: Devp2pNode, stop: () => Promise<void>): Devp2pNetwork => {
  const { options, ownKey, table, parts, port } = node
  return {
    enode: formatEnode({
      publicKey: ownKey,
      host: options.advertisedHost,
      port,
      ...discoveryQuery(node),
    }),
    port,
    peers: () => [...table.all()].map(({ peer }) => peer),
    sendConsensus: (to, code, data) => parts.consensus.send(to, code, data),
    announceTransactions: transactions => parts.transactions.announce(transactions),
    announceBlock: (number, hash, block) => parts.blocks.announce(number, hash, block),
    // Up to eth/68 only announcements tell the head of a node.
    sendStatus: () => {
      parts.blocks.sendRange()
      // Over another transport they change, too.
      parts.neighbours.changed()
    },
    requestBlocks: (peer, from, count, signal) =>
      requestBlockRange(ethPeerOf(node, peer), options.chain.consensus, from, count, signal),
    requestRecords: ({ enode }) => {
      throw new NetworkError('BAD_MESSAGE', `${enode} offers no records over devp2p`)
    },
    requestPoolHashes: peer => announcedHashes(ethPeerOf(node, peer)),
    requestPoolTransactions: (peer, hashes, signal) =>
      pooledTransactions(node, ethPeerOf(node, peer), hashes, signal),
    reportMisbehaviour: (address, what, detail) => {
      const id = toBareHex(address)
      const session = table.get(id)?.session
      if (session !== undefined) session.events.onMisbehaviour(session, what, detail)
      // It may connect again soon.
      else node.scoring.report(id, `0x${id}`, what, detail)
      if (what === 'invalid-block') parts.blocks.distrust(id)
    },
    addPeer: async text => addPeer(node, text),
    removePeer: async text => removePeer(node, text),
    endIfSilent: address => endIfSilent(node, toBareHex(address)),
    stop,
  }
}
