import type { Address, Hash } from '../core/bytes/bytes.ts'

/** What nodes tell each other when they connect, and again when it changes. */
export type PeerStatus = {
  readonly networkId: bigint
  readonly genesisHash: Hash
  /** Of the genesis file: what all nodes must agree on, entry name to value; compared by name. */
  readonly configuration: Readonly<Record<string, string>>
  readonly headNumber: bigint
  readonly headHash: Hash
  /** Name and version of the node's software. */
  readonly client: string
  /** The nodes it is connected with: what it says need not be passed on to them. */
  readonly neighbours: readonly Address[]
  /** What it understands beside what every node does, by name and version; others are not sent it. */
  readonly features: readonly string[]
}

/** A node that is connected and has told its status. */
export type Peer = {
  /** Of the node key; the address of its validator, where it is one. */
  readonly address: Address
  /** 64 bytes of the node key. */
  readonly publicKey: Uint8Array
  /** `enode://<public key>@host:port`, as far as it is known where the node listens. */
  readonly enode: string
  readonly remoteAddress: string
  readonly inbound: boolean
  readonly status: PeerStatus
  readonly connectedAtMs: number
}

/** Who the validators are now is unknown to a node that catches up. */
export type Role = 'validator' | 'other' | 'unknown'

/** What the host hands to the network and gets from it. Handlers return at once; what they begin is their own. */
export type NetworkHandlers = {
  /** The own status, asked for whenever it is told. */
  readonly status: () => PeerStatus
  /** Whether the node is one of the validators, whose consensus messages are used. */
  readonly roleOf: (address: Address) => Role
  readonly onConsensusMessage: (peer: Peer, code: number, data: Uint8Array) => void
  /** EIP-2718 encodings, not checked; they are passed on to others whatever they are. */
  readonly onTransactions: (peer: Peer, transactions: readonly Uint8Array[]) => void
  /** A block a peer says is new: block RLP with seals. */
  readonly onNewBlock: (peer: Peer, block: Uint8Array) => void
  /** The block RLPs of [from, from + count), as many from the start as there are; ended early by the network's byte limit. */
  readonly blocks: (from: bigint, count: number) => AsyncIterable<Uint8Array>
  /** The hashes of all transactions in the own pool, joined to at most POOL_HASHES_MAX an item. */
  readonly poolHashes: () => AsyncIterable<Uint8Array>
  /** EIP-2718 encodings of the transactions with these joined hashes, of those that are in the own pool. */
  readonly poolTransactions: (hashes: Uint8Array) => AsyncIterable<Uint8Array>
  /** Connected and its status told. */
  readonly onPeer: (peer: Peer) => void
  /** Gossip with it goes on after a gap: it may lack what was told meanwhile. */
  readonly onGossip: (peer: Peer) => void
  /** It told a new status. */
  readonly onStatus: (peer: Peer) => void
  readonly onPeerGone: (peer: Peer, reason: string) => void
  /** A node of another chain was refused: the names of the entries that differ. */
  readonly onRefused: (remote: string, reason: string, differing: readonly string[]) => void
}

export type NetworkOptions = {
  /** 32 bytes: the node key. */
  readonly privateKey: Uint8Array
  /** Listened on, a numeric address. */
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  /** Told to others as the place where this node listens; a name or a numeric address. */
  readonly advertisedHost: string
  /** enode URLs, host names allowed: first contacts. */
  readonly bootnodes: readonly string[]
  /** enode URLs kept connected whatever `maxPeers` says. */
  readonly staticNodes: readonly string[]
  /** Learn of further nodes from the connected ones. */
  readonly discovery: boolean
  /** enode URLs learned when this node ran before: while its bootnodes are away it finds the others by them. */
  readonly learnedNodes: readonly string[]
  readonly maxPeers: number
  /**
   * Asked before a connection is made, and again every second while it stands; a reason refuses it. Of who connects by
   * himself, the address is the one he comes from and the port the one he says he listens on.
   */
  readonly refuses: (publicKey: Uint8Array, host: string, port: number) => string | undefined
  readonly handlers: NetworkHandlers
  readonly log: NetworkLog
  /** Milliseconds since 1970. */
  readonly nowMs: () => number
  /** Resolves once other work has had its turn, where this turn of the event loop has taken long. */
  readonly pause: () => Promise<void>
}

export type NetworkLog = Readonly<
  Record<'debug' | 'info' | 'warn' | 'error', (text: string, values?: Record<string, unknown>) => void>
>

/** Why a peer loses standing; at the end of it the peer is dropped and kept away for a while. */
export type Misbehaviour =
  | 'invalid-block'
  | 'invalid-message'
  | 'invalid-transaction'
  | 'oversized-message'
  | 'bad-response'
  | 'flooding'

export type Network = {
  /** enode URL of this node with the port it listens on. */
  readonly enode: string
  readonly port: number
  peers(): readonly Peer[]
  /** To how many of these it goes: not to who is not connected, and to nobody when it is too large; a full queue loses its oldest message instead. */
  sendConsensus(to: readonly Address[], code: number, data: Uint8Array): number
  /** EIP-2718 encodings, to all who take part. */
  announceTransactions(transactions: readonly Uint8Array[]): void
  /** To every peer that is not known to have it: its hash, and the whole block to those who then ask for it. */
  announceBlock(number: bigint, hash: Hash, block: Uint8Array): void
  /** Tells the own status again, because it changed. */
  tellStatus(): void
  /** Block RLPs in ascending order, as they arrive. @throws NetworkError when the peer goes, is silent or sends too much */
  requestBlocks(peer: Peer, from: bigint, count: number, signal: AbortSignal): AsyncIterable<Uint8Array>
  /**
   * The hashes of all transactions in the pool of the peer, joined to at most POOL_HASHES_MAX an item.
   * @throws NetworkError when the peer goes, is silent or sends too much
   */
  requestPoolHashes(peer: Peer, signal: AbortSignal): AsyncIterable<Uint8Array>
  /**
   * EIP-2718 encodings, not checked, of the transactions with these joined hashes, POOL_HASHES_MAX at most.
   * @throws NetworkError when the peer goes, is silent or sends too much
   */
  requestPoolTransactions(peer: Peer, hashes: Uint8Array, signal: AbortSignal): AsyncIterable<Uint8Array>
  reportMisbehaviour(address: Address, what: Misbehaviour, detail: string): void
  /** Kept connected like a static node. False when it already was. @throws EnodeError */
  addPeer(enode: string): Promise<boolean>
  /** False when it was none. @throws EnodeError */
  removePeer(enode: string): Promise<boolean>
  /**
   * Tells the peers and closes everything. Bun and Node then end by themselves within a second; on Deno a
   * BroadcastChannel of a library is left, so that the process has to be exited.
   */
  stop(): Promise<void>
}
