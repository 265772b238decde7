import { randomBytes } from 'node:crypto'
import { toHex } from '../../../core/bytes/hex.ts'
import type { Devp2pOptions } from '../../../p2p/devp2p/node/devp2pNode.ts'
import { startDevp2p } from '../../../p2p/devp2p/startDevp2p.ts'
import type { Network, NetworkHandlers, OwnStatus, Peer, PeerStatus } from '../../../p2p/network.ts'
import { createYield } from '../../../runtime/scheduler.ts'
import { sampleBlocks, type SampleBlock, serveSampleBlocks } from './sampleBlocks.ts'
import { LOOPBACK } from '../../support/loopback.ts'

/** The chain that test nodes have unless a test gives another. */
export const BLOCKS = sampleBlocks(700)

/** A network over devp2p with everything that its handlers were told. */
export type Devp2pTestNode = {
  readonly network: Network
  status: OwnStatus
  readonly consensus: { readonly from: string; readonly code: number; readonly data: Uint8Array }[]
  readonly transactions: Uint8Array[]
  readonly blocks: Uint8Array[]
  readonly peers: Peer[]
  readonly statuses: PeerStatus[]
  readonly disconnected: { readonly peer: Peer; readonly reason: string }[]
  readonly refused: { readonly reason: string; readonly differing: readonly string[] }[]
  readonly lines: string[]
  stop(): Promise<void>
}

export const statusAt = (block: SampleBlock, changes: Partial<OwnStatus> = {}): OwnStatus => ({
  networkId: 1337n,
  genesisHash: (BLOCKS[0] as SampleBlock).hash,
  configuration: {},
  headNumber: block.number,
  headHash: block.hash,
  headTimestamp: 0n,
  client: 'quorate/test/devp2p',
  neighbours: [],
  features: [],
  ...changes,
})

export type Devp2pStartOptions = Partial<Omit<Devp2pOptions, 'handlers' | 'log'>> & {
  readonly status?: OwnStatus
  readonly handlers?: Partial<NetworkHandlers>
}

const none = async function* () {}

export const startDevp2pNode = async (options: Devp2pStartOptions = {}): Promise<Devp2pTestNode> => {
  const node: Omit<Devp2pTestNode, 'network' | 'stop'> = {
    status: options.status ?? statusAt(BLOCKS[0] as SampleBlock),
    consensus: [],
    transactions: [],
    blocks: [],
    peers: [],
    statuses: [],
    disconnected: [],
    refused: [],
    lines: [],
  }
  const note = (text: string, values: Record<string, unknown> = {}): void =>
    void node.lines.push(text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name])))
  const network = await startDevp2p({
    privateKey: randomBytes(32),
    ...LOOPBACK,
    discovery: false,
    refuses: () => undefined,
    nowMs: () => Date.now(),
    pause: createYield(),
    chain: { consensus: { kind: 'ethash' }, genesisDifficulty: 1n, forks: { blocks: [], times: [] } },
    ...options,
    log: { debug: note, info: note, warn: note, error: note },
    handlers: {
      status: () => node.status,
      roleOf: () => 'validator',
      onConsensusMessage: (peer, code, data) =>
        void node.consensus.push({ from: toHex(peer.address), code, data: data.slice() }),
      onTransactions: (_peer, transactions) => {
        node.transactions.push(...transactions)
        return { isForwarded: true, held: [...transactions.keys()] }
      },
      onNewBlock: (_peer, block) => void node.blocks.push(block.slice()),
      blocks: none,
      records: none,
      poolHashes: none,
      poolTransactions: none,
      receiptsByHash: none,
      ...serveSampleBlocks(BLOCKS),
      onPeer: peer => void node.peers.push(peer),
      onGossip: () => undefined,
      onStatus: peer => void node.statuses.push(peer.status),
      onPeerDisconnected: (peer, reason) => void node.disconnected.push({ peer, reason }),
      onRefused: (_remote, reason, differing) => void node.refused.push({ reason, differing }),
      ...options.handlers,
    },
  })
  return Object.assign(node, { network, stop: () => network.stop() })
}

/** Starts and stops, whatever happens in between. */
export const withDevp2pNodes = async (
  run: (start: (options?: Devp2pStartOptions) => Promise<Devp2pTestNode>) => Promise<void>,
): Promise<void> => {
  const nodes: Devp2pTestNode[] = []
  try {
    await run(async options => {
      const node = await startDevp2pNode(options)
      nodes.push(node)
      return node
    })
  } finally {
    await Promise.all(nodes.map(node => node.stop()))
  }
}
