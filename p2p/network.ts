import type { Address, Hash } from '../core/bytes/bytes.ts'
import type { Consensus } from '../core/genesis/configuration.ts'
import type { Log } from './log.ts'
import type { YieldTurn } from '../core/scheduler.ts'
import type { ValidatorStatement } from './validatorStatement.ts'

/** The status that nodes exchange when they connect, and send again when it changes. */
export type PeerStatus = {
  readonly networkId: bigint
  readonly genesisHash: Hash
  /**
   * Entries of the genesis file that all nodes must agree on, name to value; compared by name. Empty for a peer over devp2p,
   * whose status has none.
   */
  readonly configuration: Readonly<Record<string, string>>
  readonly headNumber: bigint
  readonly headHash: Hash
  /** The first block that it keeps besides the genesis block and all headers; undefined while it keeps all. */
  readonly historyStart?: bigint | undefined
  /** Name and version of the node's software. */
  readonly client: string
  /** The nodes it is connected with: its messages need not be forwarded to them. */
  readonly neighbours: readonly Address[]
  /** Optional features that it supports, by name and version; other nodes are not sent their messages. */
  readonly features: readonly string[]
  /** Binds its connection key to the key of its validator; undefined where they are the same. */
  readonly statement?: ValidatorStatement | undefined
}

/** The status of this node. */
export type OwnStatus = PeerStatus & {
  /** Seconds: decides which forks by time have passed, which devp2p's fork id names. Not sent itself. */
  readonly headTimestamp: bigint
}

/** A connected node whose status is known. */
export type Peer = {
  /** The address of the node: that of its validator where it is one. By the connection key, or by a validator statement. */
  readonly address: Address
  /** The connection key, 64 bytes. */
  readonly publicKey: Uint8Array
  /** `enode://<public key>@host:port`; port 0 if the node announced none. */
  readonly enode: string
  readonly remoteAddress: string
  readonly inbound: boolean
  readonly status: PeerStatus
  readonly connectedAtMs: number
  /** Random for each start of the peer; undefined from earlier releases and other software. */
  readonly instance?: string | undefined
  /** The protocols that it offers over devp2p, such as `eth/68`; undefined over libp2p, where all nodes offer the same. */
  readonly capabilities?: readonly string[]
  /** Its clock minus that of this node, in milliseconds; undefined until the peer sent its time. */
  readonly clockOffsetMs?: number | undefined
}

/** What tells a node from another one with its key. */
export type Identity = Pick<Peer, 'address' | 'instance'> & { readonly status: Pick<PeerStatus, 'client'> }

/** `unknown` while this node syncs: it does not know the current validators. */
export type Role = 'validator' | 'other' | 'unknown'

/** A request for headers: each is `skip` + 1 blocks after the last, or before it if `reverse`. */
export type HeadersQuery = {
  readonly start: { readonly hash: Hash } | { readonly number: bigint }
  readonly count: number
  readonly skip: bigint
  readonly reverse: boolean
}

/** What became of the transactions of one message. */
export type TransactionsResult = {
  /** Whether a network that forwards messages as they are, as gossip does, forwards this one. */
  readonly isForwarded: boolean
  /** The places in the message of those that the own pool took, or already had: a network that forwards one by one forwards them. */
  readonly held: readonly number[]
}

/** Calls of the network into the rest of the node. Handlers return at once; longer work runs asynchronously. */
export type NetworkHandlers = {
  /** The status of this node, called whenever it is sent. */
  readonly status: () => OwnStatus
  /** Whether a node is one of the validators, whose consensus messages are used. */
  readonly roleOf: (address: Address) => Role
  readonly onConsensusMessage: (peer: Peer, code: number, data: Uint8Array) => void
  /** EIP-2718 encodings that decode, in one message; signatures are not checked. */
  readonly onTransactions: (
    peer: Peer,
    transactions: readonly Uint8Array[],
  ) => TransactionsResult | Promise<TransactionsResult>
  /** A block that a peer announced: block RLP with seals. */
  readonly onNewBlock: (peer: Peer, block: Uint8Array) => void
  /** The block RLPs of [from, from + count), up to the head. The network stops reading at its byte limit. */
  readonly blocks: (from: bigint, count: number) => AsyncIterable<Uint8Array>
  /** The encoded records of [from, from + count), up to the head: blocks with receipts and state changes. */
  readonly records: (from: bigint, count: number) => AsyncIterable<Uint8Array>
  /** The hashes of all transactions in the own pool, joined to at most POOL_HASHES_MAX per item. */
  readonly poolHashes: () => AsyncIterable<Uint8Array>
  /** EIP-2718 encodings of the transactions with these joined hashes, as far as they are in the own pool. */
  readonly poolTransactions: (hashes: Uint8Array) => AsyncIterable<Uint8Array>
  /** The requested header RLPs of the own chain, up to the head. */
  readonly headers: (query: HeadersQuery) => AsyncIterable<Uint8Array>
  /** The block RLPs with these joined hashes in their order, as far as they are on the own chain. */
  readonly blocksByHash: (hashes: Uint8Array) => AsyncIterable<Uint8Array>
  /**
   * For each of these blocks on the own chain the RLP list of its receipts in the consensus form; typed ones as byte strings.
   */
  readonly receiptsByHash: (hashes: Uint8Array) => AsyncIterable<Uint8Array>
  /** A node connected and sent its status. */
  readonly onPeer: (peer: Peer) => void
  /** Gossip with a peer resumed after a gap: it may lack transactions sent meanwhile. */
  readonly onGossip: (peer: Peer) => void
  /** A peer sent a new status. */
  readonly onStatus: (peer: Peer) => void
  readonly onPeerDisconnected: (peer: Peer, reason: string) => void
  /** A node cannot be connected; called when the reason changes. */
  readonly onDialFailed?: (enode: string, reason: string) => void
  /**
   * A peer refuses this node, because another node with the same key is connected with it. `address` is that of the peer, or of
   * its connection key where its validator is not known.
   */
  readonly onKeyInUse?: (address: Address, reason: string) => void
  /** A node of another chain was refused; `differing` names the entries that differ, `address` is its own in hex. */
  readonly onRefused: (remote: string, reason: string, differing: readonly string[], address: string) => void
}

export type ListenAddress = { readonly host: string; readonly port: number }

export type NetworkOptions = {
  /** The connection key, 32 bytes. */
  readonly privateKey: Uint8Array
  /** The numeric address to listen on. */
  readonly host: string
  /** 0 takes a free port. */
  readonly port: number
  /** A numeric IPv6 address to listen on beside `host`, and its port. */
  readonly ipv6?: ListenAddress | undefined
  /** The host that the status and the enode name; a host name or a numeric address. */
  readonly advertisedHost: string
  /** enode URLs of first contacts; host names allowed. */
  readonly bootnodes: readonly string[]
  /** enode URLs of nodes to stay connected with, beyond `maxPeers` if necessary. */
  readonly staticNodes: readonly string[]
  /** Whether to learn of further nodes from the connected ones. */
  readonly discovery: boolean
  /** enode URLs learned in earlier runs, by which the node finds others while its bootnodes are away. */
  readonly learnedNodes: readonly string[]
  readonly maxPeers: number
  /** Peers that dialed this node, without static nodes and validators; undefined for no limit but `maxPeers`. */
  readonly inboundPeersMax?: number | undefined
  /**
   * Called before a connection is made, and every second while it is open; a returned reason refuses it. For inbound
   * connections, the host is the remote address and the port the one that the status names.
   */
  readonly refuses: (publicKey: Uint8Array, host: string, port: number) => string | undefined
  /**
   * Dials no node but the bootnodes until a first node is connected, or none of them can be reached: what Besu does where
   * nodes are permitted by a list. A node without bootnodes dials all.
   */
  readonly bootnodesFirst?: boolean | undefined
  /** Called every second with the number of connections that are in their handshake. */
  readonly onIncomplete?: (count: number) => void
  readonly handlers: NetworkHandlers
  readonly log: Log
  /** Milliseconds since 1970. */
  readonly nowMs: () => number
  readonly pause: YieldTurn
  /** Scores of peers that this network shares with that of another transport; its own if undefined. */
  readonly scoring?: Scoring
  /** Random for each start of this node, and the same over each of its transports; drawn if undefined. */
  readonly instance?: string
  /**
   * The endpoint from which another node with this address is connected over another transport of this node; undefined if there
   * is none, or only the same one.
   */
  readonly otherWithKey?: (peer: Identity) => string | undefined
}

/**
 * The forks of a genesis file that count: block numbers above 0, and timestamps after that of the genesis block; ascending.
 */
export type Forks = { readonly blocks: readonly bigint[]; readonly times: readonly bigint[] }

/** What Ethereum's devp2p needs to know of the chain. */
export type ChainParameters = {
  readonly consensus: Pick<Consensus, 'kind'>
  readonly genesisDifficulty: bigint
  readonly forks: Forks
}

/** Violations that lower the score of a peer. A peer whose score is used up is banned for a while. */
export type Misbehaviour =
  | 'invalid-block'
  | 'invalid-message'
  | 'invalid-transaction'
  | 'oversized-message'
  | 'bad-response'
  | 'flooding'

/** The points of peers that broke a rule, and their bans. */
export type Scoring = {
  /** Returns true when this report bans the peer; further reports while it is banned return false. `name` is for the log. */
  report(id: string, name: string, what: Misbehaviour, detail: string): boolean
  isBanned(id: string): boolean
  /** Lifts a ban, at the request of the operator. */
  forgive(id: string): void
}

export type Network = {
  /** enode URL of this node with the port it listens on. */
  readonly enode: string
  readonly port: number
  peers(): readonly Peer[]
  /**
   * Returns the number of peers it was queued for. Skips disconnected peers; 0 if the message is too large. A full queue
   * drops its oldest message.
   */
  sendConsensus(to: readonly Address[], code: number, data: Uint8Array): number
  /** Gossips EIP-2718 encodings. */
  announceTransactions(transactions: readonly Uint8Array[]): void
  /** Announces the hash to every peer that is not known to have the block, and sends the block to those that request it. */
  announceBlock(number: bigint, hash: Hash, block: Uint8Array): void
  /** Sends the changed status of this node to all peers. */
  sendStatus(): void
  /**
   * Block RLPs in ascending order, as they arrive. @throws NetworkError when the peer disconnects, is silent or sends too
   * much
   */
  requestBlocks(peer: Peer, from: bigint, count: number, signal: AbortSignal): AsyncIterable<Uint8Array>
  /**
   * The pieces of records in ascending order, which `joinPieces` joins, as they arrive; only from a peer with that feature.
   * @throws NetworkError when the peer disconnects, is silent or sends too much
   */
  requestRecords(peer: Peer, from: bigint, count: number, signal: AbortSignal): AsyncIterable<Uint8Array>
  /**
   * The hashes of all transactions in the pool of the peer, joined to at most POOL_HASHES_MAX an item.
   * @throws NetworkError when the peer disconnects, is silent or sends too much
   */
  requestPoolHashes(peer: Peer, signal: AbortSignal): AsyncIterable<Uint8Array>
  /**
   * EIP-2718 encodings, not checked, of the transactions with these joined hashes, POOL_HASHES_MAX at most.
   * @throws NetworkError when the peer disconnects, is silent or sends too much
   */
  requestPoolTransactions(peer: Peer, hashes: Uint8Array, signal: AbortSignal): AsyncIterable<Uint8Array>
  reportMisbehaviour(address: Address, what: Misbehaviour, detail: string): void
  /** Adds a static node. Returns false when it was one already. @throws EnodeError */
  addPeer(enode: string): Promise<boolean>
  /** Disconnects a peer and stops redialing it. Returns false when it was not a static node. @throws EnodeError */
  removePeer(enode: string): Promise<boolean>
  /**
   * Sends a goodbye to the peers and closes everything. Bun and Node processes then end by themselves within a second; on
   * Deno a library leaves a BroadcastChannel open, so that the process has to be exited.
   */
  stop(): Promise<void>
}
