import { textOf } from '../error.ts'
import type { NetworkHandlers } from '../network.ts'
import type { Log } from '../log.ts'

/** Handlers whose exceptions are logged: none ends a connection, or the process, by throwing. */
export const safeHandlers = (handlers: NetworkHandlers, log: Log): NetworkHandlers => {
  const tell = (name: string, error: unknown): void =>
    log.error('The network’s {name} failed: {reason}', { name, reason: textOf(error), error })
  const guarded =
    <Arguments extends readonly unknown[]>(name: string, handler: (...given: Arguments) => void) =>
    (...given: Arguments): void => {
      try {
        handler(...given)
      } catch (error) {
        tell(name, error)
      }
    }
  return {
    status: handlers.status,
    blocks: handlers.blocks,
    poolHashes: handlers.poolHashes,
    poolTransactions: handlers.poolTransactions,
    headers: handlers.headers,
    blocksByHash: handlers.blocksByHash,
    receiptsByHash: handlers.receiptsByHash,
    roleOf: handlers.roleOf,
    onConsensusMessage: guarded('onConsensusMessage', handlers.onConsensusMessage),
    onTransactions: async (peer, transactions) => {
      try {
        return await handlers.onTransactions(peer, transactions)
      } catch (error) {
        tell('onTransactions', error)
        return false
      }
    },
    onNewBlock: guarded('onNewBlock', handlers.onNewBlock),
    onPeer: guarded('onPeer', handlers.onPeer),
    onGossip: guarded('onGossip', handlers.onGossip),
    onStatus: guarded('onStatus', handlers.onStatus),
    onPeerGone: guarded('onPeerGone', handlers.onPeerGone),
    onRefused: guarded('onRefused', handlers.onRefused),
  }
}
