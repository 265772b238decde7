import { randomBytes } from 'node:crypto'
import { concatBytes, type Hash } from '../../core/bytes/bytes.ts'
import { toHex } from '../../core/bytes/hex.ts'
import { encodeRlp } from '../../core/rlp/rlp.ts'
import { gossipOptions } from '../../p2p/gossip/gossip.ts'
import { createHost, type Host, startHost } from '../../p2p/transport/host.ts'
import type { Network, NetworkOptions, Peer, PeerStatus } from '../../p2p/network.ts'
import { startNetwork } from '../../p2p/startNetwork.ts'
import { createYield } from '../../runtime/scheduler.ts'
import { LOOPBACK } from '../support/loopback.ts'

export { until } from '../support/until.ts'

export const GENESIS: Hash = new Uint8Array(32).fill(7)

/** A network that records the calls of its handlers. */
export type Node = {
  readonly network: Network
  readonly privateKey: Uint8Array
  status: PeerStatus
  readonly consensus: { readonly from: string; readonly code: number; readonly data: Uint8Array }[]
  readonly transactions: Uint8Array[]
  readonly blocks: { readonly from: string; readonly block: Uint8Array }[]
  readonly disconnected: { readonly peer: Peer; readonly reason: string }[]
  readonly refused: { readonly reason: string; readonly differing: readonly string[] }[]
  /** Peers that refused this node, because another one with its key is connected with them. */
  readonly keysInUse: { readonly address: string; readonly reason: string }[]
  readonly statuses: PeerStatus[]
  readonly lines: { readonly text: string; readonly values: Record<string, unknown> | undefined }[]
  connections: number
  /** Number of times that gossip resumed after a gap. */
  gossips: number
  stop(): Promise<void>
}

export const statusOf = (changes: Partial<PeerStatus> = {}): PeerStatus => ({
  networkId: 1337n,
  genesisHash: GENESIS,
  configuration: { chainId: '1337' },
  headNumber: 0n,
  headHash: GENESIS,
  client: 'quorate/test',
  neighbours: [],
  features: [],
  ...changes,
})

export type StartOptions = Partial<Omit<NetworkOptions, 'handlers' | 'log'>> & {
  readonly status?: PeerStatus
  /** The answers to range requests. */
  readonly chain?: NetworkOptions['handlers']['blocks']
  /** The answers to requests for records. */
  readonly records?: NetworkOptions['handlers']['records']
  readonly poolHashes?: NetworkOptions['handlers']['poolHashes']
  readonly poolTransactions?: NetworkOptions['handlers']['poolTransactions']
  readonly onConsensusMessage?: NetworkOptions['handlers']['onConsensusMessage']
  readonly roleOf?: NetworkOptions['handlers']['roleOf']
  /** Whether a message of transactions is forwarded; all are by default. */
  readonly forwards?: (transactions: readonly Uint8Array[]) => boolean | Promise<boolean>
}

const none = async function* () {}

export const startTestNode = async (options: StartOptions = {}): Promise<Node> => {
  const privateKey = options.privateKey ?? randomBytes(32)
  const node: Omit<Node, 'network' | 'stop'> = {
    privateKey,
    status: options.status ?? statusOf(),
    consensus: [],
    transactions: [],
    blocks: [],
    disconnected: [],
    refused: [],
    keysInUse: [],
    statuses: [],
    lines: [],
    connections: 0,
    gossips: 0,
  }
  const note = (text: string, values?: Record<string, unknown>): void =>
    void node.lines.push({ text, values })
  const network = await startNetwork({
    privateKey,
    ...LOOPBACK,
    discovery: true,
    refuses: () => undefined,
    nowMs: () => Date.now(),
    pause: createYield(),
    ...options,
    log: { debug: note, info: note, warn: note, error: note },
    handlers: {
      status: () => ({ ...node.status, headTimestamp: 0n }),
      roleOf: options.roleOf ?? (() => 'validator'),
      onConsensusMessage:
        options.onConsensusMessage ??
        ((peer, code, data) => void node.consensus.push({ from: toHex(peer.address), code, data })),
      onTransactions: async (_peer, transactions) => {
        node.transactions.push(...transactions)
        const isForwarded = (await options.forwards?.(transactions)) ?? true
        return { isForwarded, held: isForwarded ? [...transactions.keys()] : [] }
      },
      onNewBlock: (peer, block) => void node.blocks.push({ from: toHex(peer.address), block }),
      blocks: options.chain ?? none,
      records: options.records ?? none,
      poolHashes: options.poolHashes ?? none,
      poolTransactions: options.poolTransactions ?? none,
      headers: none,
      blocksByHash: none,
      receiptsByHash: none,
      onPeer: () => void node.connections++,
      onGossip: () => void node.gossips++,
      onStatus: peer => void node.statuses.push(peer.status),
      onPeerDisconnected: (peer, reason) => void node.disconnected.push({ peer, reason }),
      onKeyInUse: (address, reason) => void node.keysInUse.push({ address: toHex(address), reason }),
      onRefused: (_remote, reason, differing) => void node.refused.push({ reason, differing }),
    },
  })
  return Object.assign(node, { network, stop: () => network.stop() })
}

/** Starts nodes, and stops them after the test even if it fails. */
export const withNodes = async (run: (start: (options?: StartOptions) => Promise<Node>) => Promise<void>) => {
  const nodes: Node[] = []
  try {
    await run(async options => {
      const node = await startTestNode(options)
      nodes.push(node)
      return node
    })
  } finally {
    await Promise.all(nodes.map(node => node.stop()))
  }
}

/** Two libp2p nodes as the network creates them, without protocols. */
export const withTwoHosts = async (
  transactionsTopic: string,
  run: (one: Host, other: Host) => Promise<void>,
): Promise<void> => {
  const create = () =>
    createHost({
      privateKey: randomBytes(32),
      host: '127.0.0.1',
      port: 0,
      gater: {},
      connectionsMax: 8,
      gossip: gossipOptions(transactionsTopic),
    })
  const [one, other] = await Promise.all([create(), create()])
  try {
    for (const host of [one, other]) await startHost(host, { host: '127.0.0.1', port: 0 })
    await run(one, other)
  } finally {
    for (const host of [one, other]) await host.stop()
  }
}

export const peersOf = (node: Node): readonly string[] =>
  node.network
    .peers()
    .map(peer => peer.enode)
    .sort()

/** Bytes that reveal a lost or repeated part. */
export const patternOf = (length: number): Uint8Array => {
  const bytes = new Uint8Array(length)
  for (let i = 0; i < length; i++) bytes[i] = (i ^ (i >> 8) ^ (i >> 16)) & 0xff
  return bytes
}

/** An encoded transaction with that many bytes of data and a random signature. */
export const someTransaction = (dataBytes: number): Uint8Array => {
  const number = (): Uint8Array => concatBytes(Uint8Array.of(1), randomBytes(31))
  return encodeRlp([0, 1n, 21_000n, new Uint8Array(20), 0, randomBytes(dataBytes), 27, number(), number()])
}
