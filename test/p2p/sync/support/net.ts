import { startNetwork } from '../../../../p2p/startNetwork.ts'
import type { Network } from '../../../../p2p/network.ts'
import { logOf } from '../../../../runtime/logging/log.ts'
import { createYield } from '../../../../runtime/scheduler.ts'
import type { Key } from '../../../core/chain/support/keys.ts'
import { type NodeOptions, openNode, type TestNode } from './node.ts'
import type { WireHandlers } from './wire.ts'
import { LOOPBACK } from '../../../support/loopback.ts'

export type NetworkedNode = TestNode & { readonly network: Network; stop(): Promise<void> }

/** A node with a real network on loopback; `handlers` replace its own. */
export const networkedNode = async (
  { privateKey }: Key,
  options: NodeOptions & {
    readonly handlers?: Partial<WireHandlers>
    readonly staticNodes?: readonly string[]
  } = {},
): Promise<NetworkedNode> => {
  const { handlers, staticNodes = [], ...rest } = options
  const node = await openNode(rest)
  const network = await startNetwork({
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
  })
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
