import { CONSENSUS_DATA_MAX } from '../../../p2p/consensus.ts'
import { NetworkError } from '../../../p2p/error.ts'
import type { Network } from '../../../p2p/network.ts'
import { onNextTurn } from '../../scheduler.ts'
import { keyOf } from './handlers.ts'
import type { MainSide } from './mainSide.ts'
import { ownBytes, joinList } from './joinedBytes.ts'
import type { NetworkThread } from './thread.ts'

/** Announces transactions, those of one tick in one message. */
const createAnnouncer = ({ backlog }: MainSide, { send }: NetworkThread) => {
  let batched: Uint8Array[] = []
  const flush = (): void => {
    if (batched.length === 0) return
    const transactions = joinList(batched)
    batched = []
    if (backlog.admits(transactions.bytes.length))
      send({ kind: 'transactions', transactions }, [transactions.bytes.buffer])
  }
  return {
    flush,
    announce: (transactions: readonly Uint8Array[]): void => {
      if (batched.length === 0) onNextTurn(flush)
      batched.push(...transactions)
    },
  }
}

/** The network that runs on the worker, as the main thread uses it. */
export const createRemoteNetwork = (
  side: MainSide,
  thread: NetworkThread,
  listening: { readonly enode: string; readonly port: number },
): Network => {
  const { backlog, remotePeers, calls, stateUpdates, wanted } = side
  const { send } = thread
  const announcer = createAnnouncer(side, thread)
  const call = (name: 'addPeer' | 'removePeer', enode: string): Promise<boolean> =>
    thread.hasEnded()
      ? Promise.reject(new NetworkError('NOT_CONNECTED', 'the network has ended'))
      : calls.request(id => send({ kind: 'call', id, name, enode }))

  return {
    enode: listening.enode,
    port: listening.port,
    peers: () => [...remotePeers.peers.values()],
    sendConsensus: (to, code, bytes) => {
      if (bytes.length > CONSENSUS_DATA_MAX || !backlog.admits(bytes.length)) return 0
      const data = ownBytes(bytes)
      send({ kind: 'consensus', to: to.map(ownBytes), code, data }, [data.buffer])
      return to.filter(address => remotePeers.peers.has(keyOf(address))).length
    },
    announceTransactions: announcer.announce,
    announceBlock: (number, hash, bytes) => {
      if (!backlog.admits(bytes.length)) return
      const block = ownBytes(bytes)
      send({ kind: 'block', number, hash: ownBytes(hash), block }, [block.buffer])
    },
    sendStatus: () => stateUpdates.send(true),
    requestBlocks: ({ address }, from, count, signal) =>
      wanted.open({ peer: keyOf(address), kind: 'blocks', from, count }, signal),
    requestRecords: ({ address }, from, count, signal) =>
      wanted.open({ peer: keyOf(address), kind: 'records', from, count }, signal),
    requestPoolHashes: ({ address }, signal) =>
      wanted.open({ peer: keyOf(address), kind: 'pool hashes' }, signal),
    requestPoolTransactions: ({ address }, hashes, signal) =>
      wanted.open({ peer: keyOf(address), kind: 'pool transactions', hashes: ownBytes(hashes) }, signal),
    reportMisbehaviour: (address, what, detail) =>
      send({ kind: 'misbehaviour', address: ownBytes(address), what, detail }),
    addPeer: enode => call('addPeer', enode),
    removePeer: enode => call('removePeer', enode),
    stop: async () => {
      announcer.flush()
      stateUpdates.stop()
      await thread.stop()
    },
  }
}
