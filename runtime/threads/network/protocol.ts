import type { Address, Hash } from '../../../core/bytes/bytes.ts'
import type { Misbehaviour, Peer, PeerStatus, TransactionsResult } from '../../../p2p/network.ts'
import type { PermittedNode } from '../../../p2p/peers/permittedNodes.ts'
import type { TransportOptions } from '../../../p2p/startTransport.ts'
import type { RefusedNodes } from './refusedNodes.ts'
import type { PlainValue, PlainError } from './errors.ts'
import type { JoinedBytes } from './joinedBytes.ts'
import type { ToListClient, ToListServer } from './lists.ts'

/** State of this node that changes while it runs and that the network reads at any time. */
export type NodeState = {
  readonly headNumber: bigint
  readonly headHash: Hash
  /** The first block that is kept; undefined while all are. */
  readonly historyStart?: bigint | undefined
  /** Seconds. */
  readonly headTimestamp: bigint
  /** Undefined during the initial sync. */
  readonly validators: readonly Address[] | undefined
  /** Nodes that may be connected; undefined where all may. */
  readonly permittedNodes?: readonly PermittedNode[] | undefined
  /** Whether debug lines are logged. */
  readonly debug: boolean
}

/** Start parameters of the network worker. */
export type NetworkSetup = Pick<
  TransportOptions,
  | 'transport'
  | 'chain'
  | 'libp2pPort'
  | 'privateKey'
  | 'host'
  | 'port'
  | 'ipv6'
  | 'advertisedHost'
  | 'bootnodes'
  | 'staticNodes'
  | 'discovery'
  | 'learnedNodes'
  | 'maxPeers'
  | 'inboundPeersMax'
  | 'bootnodesFirst'
> & {
  /** Nodes refused by the operator's options, regardless of the allowlist. */
  readonly refusedNodes?: RefusedNodes | undefined
  /** Status of this node at the start; `nodeState` has the parts that change. */
  readonly status: PeerStatus
  readonly nodeState: NodeState
  /** Counters of handled bytes, see backlog.ts. */
  readonly handled: SharedArrayBuffer
  /** See connectionCounts.ts. */
  readonly counters: SharedArrayBuffer
}

/** Messages to the network worker. */
export type ToNetwork =
  | { readonly kind: 'state'; readonly state: NodeState; readonly broadcast: boolean }
  | {
      readonly kind: 'consensus'
      readonly to: readonly Address[]
      readonly code: number
      readonly data: Uint8Array
    }
  | { readonly kind: 'transactions'; readonly transactions: JoinedBytes }
  /** The answer to 'transactions': whether that message is to be forwarded. */
  | { readonly kind: 'validated'; readonly id: number; readonly result: TransactionsResult }
  | { readonly kind: 'block'; readonly number: bigint; readonly hash: Hash; readonly block: Uint8Array }
  | {
      readonly kind: 'misbehaviour'
      readonly address: Address
      readonly what: Misbehaviour
      readonly detail: string
    }
  | {
      readonly kind: 'call'
      readonly id: number
      readonly name: 'addPeer' | 'removePeer'
      readonly enode: string
    }
  | { readonly kind: 'wanted list'; readonly message: ToListServer }
  | { readonly kind: 'served list'; readonly message: ToListClient }

export type LogLevelName = 'debug' | 'info' | 'warn' | 'error'

/**
 * Messages of the network worker. `peer` is an address in hex digits; the whole peer is sent when it connects and on a new
 * configuration.
 */
export type FromNetwork =
  | { readonly kind: 'listening'; readonly enode: string; readonly port: number }
  /** The network could not start. */
  | { readonly kind: 'failed'; readonly error: PlainError }
  | { readonly kind: 'consensus'; readonly peer: string; readonly code: number; readonly data: Uint8Array }
  | {
      readonly kind: 'transactions'
      readonly id: number
      readonly peer: string
      readonly transactions: JoinedBytes
    }
  | { readonly kind: 'block'; readonly peer: string; readonly block: Uint8Array }
  | { readonly kind: 'connected' | 'status'; readonly peer: Peer }
  | {
      readonly kind: 'head'
      readonly peer: string
      readonly head: Pick<PeerStatus, 'headNumber' | 'headHash' | 'neighbours' | 'historyStart'>
      readonly clockOffsetMs: Peer['clockOffsetMs']
    }
  | { readonly kind: 'gossip'; readonly peer: string }
  | { readonly kind: 'disconnected'; readonly peer: string; readonly reason: string }
  | { readonly kind: 'dial failed'; readonly enode: string; readonly reason: string }
  | { readonly kind: 'key in use'; readonly address: Uint8Array; readonly reason: string }
  | {
      readonly kind: 'refused'
      readonly remote: string
      readonly reason: string
      readonly differing: readonly string[]
      readonly address: string
    }
  | { readonly kind: 'answer'; readonly id: number; readonly outcome: boolean | PlainError }
  | { readonly kind: 'wanted list'; readonly message: ToListClient }
  | { readonly kind: 'served list'; readonly message: ToListServer }
  | {
      readonly kind: 'log'
      readonly level: LogLevelName
      readonly text: string
      readonly values: Readonly<Record<string, PlainValue>>
    }
