import { randomBytes } from 'node:crypto'
import type { Network, Peer } from '../../../../p2p/network.ts'
import {
  type NetworkThreadOptions,
  startNetworkThread,
} from '../../../../runtime/threads/network/startNetworkThread.ts'
import { statusOf } from '../../../p2p/networks.ts'
import { until } from '../../../support/until.ts'
import { createConnectionCounters } from '../../../../runtime/threads/network/connectionCounts.ts'
import { LOOPBACK } from '../../../support/loopback.ts'

export type Heard = readonly [what: string, ...of: unknown[]]

/** A network on a thread, with everything it told, in order. */
export type ThreadNode = {
  readonly network: Network
  readonly heard: Heard[]
  readonly lines: Heard[]
  /** Of one kind. */
  of(what: string): readonly (readonly unknown[])[]
  peer(): Peer
  change: {
    status: ReturnType<typeof statusOf>
    debug: boolean
    validators: readonly Uint8Array[] | undefined
  }
}

export type ThreadOptions = Partial<Omit<NetworkThreadOptions, 'handlers'>> & {
  readonly handlers?: Partial<NetworkThreadOptions['handlers']>
}

const startNode = async (options: ThreadOptions): Promise<ThreadNode> => {
  const heard: Heard[] = []
  const lines: Heard[] = []
  const change: ThreadNode['change'] = { status: statusOf(), debug: true, validators: undefined }
  const hear =
    (what: string) =>
    (first: unknown, ...rest: unknown[]): void => {
      const isPeer = typeof first === 'object' && first !== null && 'publicKey' in first
      heard.push(isPeer ? [what, ...rest] : [what, first, ...rest])
    }
  const line = (level: string) => (text: string, values?: object) => void lines.push([level, text, values])
  const network = await startNetworkThread({
    transport: 'libp2p',
    libp2pPort: 0,
    chain: { consensus: { kind: 'qbft' }, genesisDifficulty: 1n, forks: { blocks: [], times: [] } },
    privateKey: randomBytes(32),
    ...LOOPBACK,
    discovery: true,
    counters: createConnectionCounters(),
    validators: () => change.validators,
    log: {
      debug: line('debug'),
      info: line('info'),
      warn: line('warn'),
      error: line('error'),
      isEnabledFor: () => change.debug,
    },
    ...options,
    handlers: {
      status: () => ({ ...change.status, headTimestamp: 0n }),
      blocks: async function* () {},
      records: async function* () {},
      poolHashes: async function* () {},
      poolTransactions: async function* () {},
      headers: async function* () {},
      blocksByHash: async function* () {},
      receiptsByHash: async function* () {},
      onConsensusMessage: hear('consensus'),
      onTransactions: (...given) => {
        hear('transactions')(...given)
        return { isForwarded: true, held: [] }
      },
      onNewBlock: hear('block'),
      onPeer: hear('peer'),
      onGossip: hear('gossip'),
      onStatus: peer => void heard.push(['status', peer.status]),
      onPeerDisconnected: hear('gone'),
      onRefused: hear('refused'),
      ...options.handlers,
    },
  })
  return {
    network,
    heard,
    lines,
    change,
    of: what => heard.filter(([kind]) => kind === what).map(([, ...rest]) => rest),
    peer: () => network.peers()[0] as Peer,
  }
}

/** Starts and stops, whatever happens in between. */
export const withThreads = async (
  run: (start: (options?: ThreadOptions) => Promise<ThreadNode>) => Promise<void>,
): Promise<void> => {
  const nodes: ThreadNode[] = []
  try {
    await run(async (options = {}) => {
      const node = await startNode(options)
      nodes.push(node)
      return node
    })
  } finally {
    await Promise.all(nodes.map(({ network }) => network.stop()))
  }
}

/** Two that are connected. */
export const withPair = (
  run: (a: ThreadNode, b: ThreadNode) => Promise<void>,
  options: ThreadOptions = {},
): Promise<void> =>
  withThreads(async start => {
    const a = await start(options)
    const b = await start({ bootnodes: [a.network.enode] })
    await until(() => a.network.peers().length + b.network.peers().length === 2)
    await run(a, b)
  })
