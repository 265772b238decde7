import type { Address } from '../../../core/bytes/bytes.ts'
import { NetworkError } from '../../../p2p/error.ts'
import type { PermittedNode } from '../../../p2p/peers/permittedNodes.ts'
import type { NetworkHandlers } from '../../../p2p/network.ts'
import type { Log } from '../../../p2p/log.ts'
import { safeHandlers } from '../../../p2p/node/safeHandlers.ts'
import { rateLimitedLog } from '../../../p2p/transport/rateLimitedLog.ts'
import type { Thread } from '../startThread.ts'
import { type Backlog, createHandled, openBacklog } from './backlog.ts'
import { type Calls, createCalls } from './calls.ts'
import { valuesOf } from './errors.ts'
import { createListClient, createListServer, type ListClient, type ListServer } from './lists.ts'
import type { ToNetwork } from './protocol.ts'
import { createRemotePeers, type RemotePeers } from './remotePeers.ts'
import { roleIn } from './role.ts'
import { createStateUpdates, type StateUpdates } from './stateUpdates.ts'
import type { RunningMessage } from './thread.ts'

export type MainSideOptions = {
  readonly handlers: Omit<NetworkHandlers, 'roleOf'>
  /** Validators whose consensus messages are accepted; undefined during the initial sync. */
  readonly validators: () => readonly Address[] | undefined
  /** Nodes that may be connected: a new array when it changed; undefined where all may. */
  readonly permittedNodes?: () => readonly PermittedNode[] | undefined
  readonly log: Log & { isEnabledFor(level: 'debug'): boolean }
}

/** The main thread's state for the network worker: peers, pending calls, lists in both directions. */
export type MainSide = {
  readonly log: Log
  readonly handlers: NetworkHandlers
  /** Counters of handled bytes, see backlog.ts. */
  readonly handled: SharedArrayBuffer
  /** Limits messages to the worker. */
  readonly backlog: Backlog
  readonly remotePeers: RemotePeers
  readonly calls: Calls
  readonly stateUpdates: StateUpdates
  /** Lists requested from peers. */
  readonly wanted: ListClient
  /** Lists of this node that peers requested. */
  readonly served: ListServer
}

/** @param send sends a message to the worker; not called before the first message of the worker */
export const createMainSide = (
  { handlers: given, validators, permittedNodes = () => undefined, log }: MainSideOptions,
  send: Thread<ToNetwork>['send'],
): MainSide => {
  const roleOf = (address: Address) => roleIn(validators(), address)
  const handlers = safeHandlers({ ...given, roleOf }, log)
  const limitedLog = rateLimitedLog(log, Date.now)
  const handled = createHandled()
  return {
    log,
    handlers,
    handled,
    backlog: openBacklog(handled, 'toNetwork', limitedLog),
    remotePeers: createRemotePeers(handlers, openBacklog(handled, 'fromNetwork', limitedLog), (id, result) =>
      send({ kind: 'validated', id, result }),
    ),
    calls: createCalls(),
    stateUpdates: createStateUpdates({
      status: handlers.status,
      validators,
      permittedNodes,
      isDebug: () => log.isEnabledFor('debug'),
    }),
    wanted: createListClient(
      message => send({ kind: 'wanted list', message }),
      () => new NetworkError('NOT_CONNECTED', 'the list request was cancelled'),
    ),
    served: createListServer(
      (message, moved) => send({ kind: 'served list', message }, moved),
      request => {
        switch (request.kind) {
          case 'blocks':
            return handlers.blocks(request.from, request.count)
          case 'records':
            return handlers.records(request.from, request.count)
          case 'pool hashes':
            return handlers.poolHashes()
          case 'pool transactions':
            return handlers.poolTransactions(request.hashes)
          case 'headers':
            return handlers.headers(request.query)
          case 'blocks by hash':
            return handlers.blocksByHash(request.hashes)
          case 'receipts by hash':
            return handlers.receiptsByHash(request.hashes)
        }
      },
    ),
  }
}

/** Handles a message of the network worker. */
export const receive = (side: MainSide, message: RunningMessage): void => {
  switch (message.kind) {
    case 'log':
      return side.log[message.level](message.text, valuesOf(message.values))
    case 'wanted list':
      return side.wanted.receive(message.message)
    case 'served list':
      return side.served.receive(message.message)
    case 'answer':
      return side.calls.answered(message.id, message.outcome)
    default:
      return side.remotePeers.receive(message)
  }
}

/** Fails all pending requests to the network worker: it has ended. */
export const failPending = ({ stateUpdates, wanted, calls }: MainSide, error: Error): void => {
  stateUpdates.stop()
  wanted.fail(error)
  calls.fail(error)
}
