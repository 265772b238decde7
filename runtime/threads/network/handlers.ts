import type { Address } from '../../../core/bytes/bytes.ts'
import { toBareHex } from '../../../core/bytes/hex.ts'
import type { NetworkHandlers, Peer, PeerStatus } from '../../../p2p/network.ts'
import { type Backlog, BACKLOG_BYTES_MAX, STRANGERS_BACKLOG_BYTES_MAX } from './backlog.ts'
import { NOT_TAKEN, type ValidationResults } from './validationResults.ts'
import { ownBytes, joinList } from './joinedBytes.ts'
import type { NodeState, FromNetwork } from './protocol.ts'
import type { ListClient } from './lists.ts'
import { roleIn } from './role.ts'

/** A peer's address as a key in messages between threads. */
export const keyOf = (address: Address): string => toBareHex(address)

const headOf = ({ headNumber, headHash, neighbours, historyStart }: PeerStatus) => ({
  headNumber,
  historyStart,
  headHash: ownBytes(headHash),
  neighbours: neighbours.map(ownBytes),
})

/** Copies the peer's bytes, which are views of larger messages. */
const ownPeer = (peer: Peer): Peer => ({
  ...peer,
  address: ownBytes(peer.address),
  publicKey: ownBytes(peer.publicKey),
  status: { ...peer.status, genesisHash: ownBytes(peer.status.genesisHash), ...headOf(peer.status) },
})

/** Whether bytes of a node may be handed to the main thread: those of validators are not kept out by those of others. */
const admitsOf =
  ({ backlog, nodeState }: { readonly backlog: Backlog; readonly nodeState: () => NodeState }) =>
  (from: Address, bytes: number): boolean => {
    const isValidator = roleIn(nodeState().validators, from) === 'validator'
    return backlog.admits(bytes, isValidator ? BACKLOG_BYTES_MAX : STRANGERS_BACKLOG_BYTES_MAX)
  }

/** Network handlers that forward events to the main thread and answer queries from the state it has sent. */
export const createHandlers = (from: {
  readonly post: (message: FromNetwork, moved?: readonly ArrayBuffer[]) => void
  readonly backlog: Backlog
  readonly lists: ListClient
  /** ValidationResults on messages that the main thread validates. */
  readonly validationResults: ValidationResults
  readonly status: PeerStatus
  readonly nodeState: () => NodeState
  readonly peers: () => readonly Peer[]
}): NetworkHandlers => {
  const { post, lists, nodeState, validationResults } = from
  /** Peers whose configuration was sent already: later statuses send only the head. */
  const sent = new WeakMap<PeerStatus['configuration'], string>()
  const admits = admitsOf(from)
  return {
    status: () => ({
      ...from.status,
      headNumber: nodeState().headNumber,
      historyStart: nodeState().historyStart,
      headHash: nodeState().headHash,
      headTimestamp: nodeState().headTimestamp,
      neighbours: from.peers().map(({ address }) => address),
    }),
    roleOf: address => roleIn(nodeState().validators, address),
    onConsensusMessage: ({ address }, code, bytes) => {
      if (!admits(address, bytes.length)) return
      const data = ownBytes(bytes)
      post({ kind: 'consensus', peer: keyOf(address), code, data }, [data.buffer])
    },
    onTransactions: ({ address }, list) => {
      const transactions = joinList(list)
      if (!admits(address, transactions.bytes.length)) return NOT_TAKEN
      return validationResults.request(id =>
        post({ kind: 'transactions', id, peer: keyOf(address), transactions }, [transactions.bytes.buffer]),
      )
    },
    onNewBlock: ({ address }, bytes) => {
      if (!admits(address, bytes.length)) return
      const block = ownBytes(bytes)
      post({ kind: 'block', peer: keyOf(address), block }, [block.buffer])
    },
    blocks: (first, count) => lists.open({ peer: '', kind: 'blocks', from: first, count }),
    records: (first, count) => lists.open({ peer: '', kind: 'records', from: first, count }),
    poolHashes: () => lists.open({ peer: '', kind: 'pool hashes' }),
    headers: query => lists.open({ peer: '', kind: 'headers', query }),
    blocksByHash: hashes => lists.open({ peer: '', kind: 'blocks by hash', hashes: ownBytes(hashes) }),
    receiptsByHash: hashes => lists.open({ peer: '', kind: 'receipts by hash', hashes: ownBytes(hashes) }),
    poolTransactions: hashes => lists.open({ peer: '', kind: 'pool transactions', hashes: ownBytes(hashes) }),
    onPeer: peer => {
      sent.set(peer.status.configuration, keyOf(peer.address))
      post({ kind: 'connected', peer: ownPeer(peer) })
    },
    onStatus: peer => {
      const key = keyOf(peer.address)
      if (sent.get(peer.status.configuration) === key)
        return post({
          kind: 'head',
          peer: key,
          head: headOf(peer.status),
          clockOffsetMs: peer.clockOffsetMs,
        })
      sent.set(peer.status.configuration, key)
      post({ kind: 'status', peer: ownPeer(peer) })
    },
    onGossip: ({ address }) => post({ kind: 'gossip', peer: keyOf(address) }),
    onPeerDisconnected: ({ address }, reason) => post({ kind: 'disconnected', peer: keyOf(address), reason }),
    onDialFailed: (enode, reason) => post({ kind: 'dial failed', enode, reason }),
    onKeyInUse: (address, reason) => post({ kind: 'key in use', address: ownBytes(address), reason }),
    onRefused: (remote, reason, differing, address) =>
      post({ kind: 'refused', remote, reason, differing, address }),
  }
}
