import { forksOf } from '../../../../p2p/devp2p/eth/forks.ts'
import { startDevp2p } from '../../../../p2p/devp2p/startDevp2p.ts'
import { startNetwork } from '../../../../p2p/startNetwork.ts'
import type { Network, NetworkOptions } from '../../../../p2p/network.ts'
import { logOf } from '../../../../runtime/logging/log.ts'
import { createYield } from '../../../../runtime/scheduler.ts'
import type { Key } from '../../../core/chain/support/keys.ts'
import { type NodeOptions, openNode, type TestNode } from './node.ts'
import type { WireHandlers } from './wire.ts'
import { LOOPBACK } from '../../../support/loopback.ts'

export type NetworkedNode = TestNode & { readonly network: Network; stop(): Promise<void> }

/** A node with a real network on loopback, over libp2p unless `isOverDevp2p`; `handlers` replace its own. */
export const networkedNode = async (
  { privateKey }: Key,
  options: NodeOptions & {
    readonly handlers?: Partial<WireHandlers>
    readonly staticNodes?: readonly string[]
    readonly isOverDevp2p?: boolean
  } = {},
): Promise<NetworkedNode> => {
  const { handlers, staticNodes = [], isOverDevp2p = false, ...rest } = options
  const node = await openNode(rest)
  const { configuration, genesis } = node.chain
  const networkOptions: NetworkOptions = {
    privateKey,
    ...LOOPBACK,
    staticNodes,
    discovery: false,
    refuses: () => undefined,
    handlers: {
      ...node.sync.handlers,
      roleOf: () => 'unknown',
      onConsensusMessage: () => undefined,
      ...handlers,
    },
    log: logOf('network'),
    nowMs: Date.now,
    pause: createYield(),
  }
  const network = isOverDevp2p
    ? await startDevp2p({
        ...networkOptions,
        chain: {
          consensus: configuration.consensus,
          genesisDifficulty: genesis.header.difficulty,
          forks: forksOf(configuration, genesis.header.timestamp),
        },
      })
    : await startNetwork(networkOptions)
  node.sync.attach(network)
  return {
    ...node,
    network,
    stop: async () => {
      await node.sync.stop()
      await network.stop()
    },
  }
}
