import { setImmediate } from 'node:timers'
import type { Address } from '../../../core/bytes/bytes.ts'
import { rateLimitedLog } from '../../../p2p/transport/rateLimitedLog.ts'
import { CONSENSUS_DATA_MAX } from '../../../p2p/consensus.ts'
import { NetworkError } from '../../../p2p/error.ts'
import { safeHandlers } from '../../../p2p/node/safeHandlers.ts'
import type { Network, NetworkHandlers, NetworkLog, NetworkOptions } from '../../../p2p/network.ts'
import { createHandled, openBacklog } from './backlog.ts'
import { createCalls } from './calls.ts'
import { valuesOf } from './errors.ts'
import { createStateUpdates } from './stateUpdates.ts'
import { keyOf } from './handlers.ts'
import { ownBytes, packList } from './packed.ts'
import { createRemotePeers } from './remotePeers.ts'
import { createListClient, createListServer } from './lists.ts'
import { roleIn } from './role.ts'
import { type NetworkThread, startThread, type RunningMessage } from './thread.ts'

export type NetworkThreadOptions = Omit<
  NetworkOptions,
  'refuses' | 'handlers' | 'log' | 'nowMs' | 'pause'
> & {
  readonly handlers: Omit<NetworkHandlers, 'roleOf'>
  /** Validators whose consensus messages are accepted; undefined during the initial sync. */
  readonly validators: () => readonly Address[] | undefined
  readonly log: NetworkLog & { isEnabledFor(level: 'debug'): boolean }
}

/**
 * Starts the network on a worker thread, so that encryption, streams and gossip neither block the main event loop nor
 * lengthen its garbage collections. Events arrive in order.
 * @throws NetworkError and EnodeError as `startNetwork`; NetworkThreadError
 */
export const startNetworkThread = async (options: NetworkThreadOptions): Promise<Network> => {
  const { validators, log, privateKey, host, port, advertisedHost } = options
  const { bootnodes, staticNodes, discovery, learnedNodes, maxPeers } = options
  const roleOf = (address: Address) => roleIn(validators(), address)
  const handlers = safeHandlers({ ...options.handlers, roleOf }, log)
  const calm = rateLimitedLog(log, Date.now)
  const handled = createHandled()
  const backlog = openBacklog(handled, 'toNetwork', calm)
  const remotePeers = createRemotePeers(
    handlers,
    openBacklog(handled, 'fromNetwork', calm),
    (id, isForwarded) => thread.post({ kind: 'judged', id, isForwarded }),
  )
  const calls = createCalls()
  const stateUpdates = createStateUpdates({
    status: handlers.status,
    validators,
    isDebug: () => log.isEnabledFor('debug'),
  })
  const wanted = createListClient(
    message => thread.post({ kind: 'wanted list', message }),
    () => new NetworkError('NOT_CONNECTED', 'the list request was cancelled'),
  )
  const served = createListServer(
    (message, moved) => thread.post({ kind: 'served list', message }, moved),
    request => {
      switch (request.kind) {
        case 'blocks':
          return handlers.blocks(request.from, request.count)
        case 'pool hashes':
          return handlers.poolHashes()
        case 'pool transactions':
          return handlers.poolTransactions(request.hashes)
      }
    },
  )

  const take = (message: RunningMessage): void => {
    switch (message.kind) {
      case 'log':
        return log[message.level](message.text, valuesOf(message.values))
      case 'wanted list':
        return wanted.receive(message.message)
      case 'served list':
        return served.receive(message.message)
      case 'answer':
        return calls.answered(message.id, message.outcome)
      default:
        return remotePeers.take(message)
    }
  }
  const status = handlers.status()
  const own = { genesisHash: ownBytes(status.genesisHash), headHash: ownBytes(status.headHash) }
  const thread: NetworkThread = startThread(
    {
      privateKey: ownBytes(privateKey),
      host,
      port,
      advertisedHost,
      bootnodes,
      staticNodes,
      discovery,
      learnedNodes,
      maxPeers,
      status: { ...status, ...own },
      nodeState: stateUpdates.now(),
      handled,
    },
    take,
    error => {
      stateUpdates.stop()
      wanted.fail(error)
      calls.fail(error)
    },
  )
  const { post } = thread
  const { enode, port: listenedOn } = await thread.started
  stateUpdates.start(post)

  /** Transactions announced in one tick are sent in one message. */
  let batched: Uint8Array[] = []
  const announce = (): void => {
    if (batched.length === 0) return
    const transactions = packList(batched)
    batched = []
    if (backlog.admits(transactions.bytes.length))
      post({ kind: 'transactions', transactions }, [transactions.bytes.buffer])
  }
  const call = (name: 'addPeer' | 'removePeer', text: string): Promise<boolean> => {
    if (thread.hasEnded()) return Promise.reject(new NetworkError('NOT_CONNECTED', 'the network has ended'))
    return calls.ask(id => post({ kind: 'call', id, name, enode: text }))
  }

  return {
    enode,
    port: listenedOn,
    peers: () => [...remotePeers.peers.values()],
    sendConsensus: (to, code, bytes) => {
      if (bytes.length > CONSENSUS_DATA_MAX || !backlog.admits(bytes.length)) return 0
      const data = ownBytes(bytes)
      post({ kind: 'consensus', to: to.map(ownBytes), code, data }, [data.buffer])
      return to.filter(address => remotePeers.peers.has(keyOf(address))).length
    },
    announceTransactions: transactions => {
      if (batched.length === 0) setImmediate(announce)
      batched.push(...transactions)
    },
    announceBlock: (number, hash, bytes) => {
      if (!backlog.admits(bytes.length)) return
      const block = ownBytes(bytes)
      post({ kind: 'block', number, hash: ownBytes(hash), block }, [block.buffer])
    },
    sendStatus: () => stateUpdates.send(true),
    requestBlocks: ({ address }, from, count, signal) =>
      wanted.open({ peer: keyOf(address), kind: 'blocks', from, count }, signal),
    requestPoolHashes: ({ address }, signal) =>
      wanted.open({ peer: keyOf(address), kind: 'pool hashes' }, signal),
    requestPoolTransactions: ({ address }, hashes, signal) =>
      wanted.open({ peer: keyOf(address), kind: 'pool transactions', hashes: ownBytes(hashes) }, signal),
    reportMisbehaviour: (address, what, detail) =>
      post({ kind: 'misbehaviour', address: ownBytes(address), what, detail }),
    addPeer: text => call('addPeer', text),
    removePeer: text => call('removePeer', text),
    stop: async () => {
      announce()
      stateUpdates.stop()
      await thread.stop()
    },
  }
}
