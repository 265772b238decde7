import type { Address } from '../../core/bytes/bytes.ts'
import { errorText } from '../../core/text/errorText.ts'
import type { NetworkHandlers } from '../network.ts'
import type { Log } from '../log.ts'

/** Handlers whose exceptions are logged: an exception ends neither a connection nor the process. */
export const safeHandlers = (handlers: NetworkHandlers, log: Log): NetworkHandlers => {
  const logError = (name: string, error: unknown): void =>
    log.error('The network handler {name} failed: {reason}', { name, reason: errorText(error), error })
  const safe =
    <Arguments extends readonly unknown[]>(name: string, handler: (...given: Arguments) => void) =>
    (...given: Arguments): void => {
      try {
        handler(...given)
      } catch (error) {
        logError(name, error)
      }
    }
  return {
    status: handlers.status,
    blocks: handlers.blocks,
    records: handlers.records,
    poolHashes: handlers.poolHashes,
    poolTransactions: handlers.poolTransactions,
    headers: handlers.headers,
    blocksByHash: handlers.blocksByHash,
    receiptsByHash: handlers.receiptsByHash,
    roleOf: handlers.roleOf,
    onConsensusMessage: safe('onConsensusMessage', handlers.onConsensusMessage),
    onTransactions: async (peer, transactions) => {
      try {
        return await handlers.onTransactions(peer, transactions)
      } catch (error) {
        logError('onTransactions', error)
        return { isForwarded: false, held: [] }
      }
    },
    onNewBlock: safe('onNewBlock', handlers.onNewBlock),
    onPeer: safe('onPeer', handlers.onPeer),
    onGossip: safe('onGossip', handlers.onGossip),
    onStatus: safe('onStatus', handlers.onStatus),
    onPeerDisconnected: safe('onPeerDisconnected', handlers.onPeerDisconnected),
    onDialFailed: safe('onDialFailed', (enode: string, reason: string) =>
      handlers.onDialFailed?.(enode, reason),
    ),
    onKeyInUse: safe('onKeyInUse', (address: Address, reason: string) =>
      handlers.onKeyInUse?.(address, reason),
    ),
    onRefused: safe('onRefused', handlers.onRefused),
  }
}
