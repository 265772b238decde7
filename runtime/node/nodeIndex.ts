import { resolve } from 'node:path'
import { requestScheduler } from '../../handlers/inbound/requestScheduler.ts'
import type { RpcDevelopment } from '../../handlers/rpc/development/development.ts'
import type { AccountIndex } from '../../handlers/rpc/ots/accountIndex.ts'
import { enabledBy } from '../cli/enabled.ts'
import type { NodeOptions } from '../cli/nodeOptions.ts'
import { logOf } from '../logging/log.ts'
import type { RunningNode } from './runningNode.ts'
import { openAccountIndex } from '../explorer/accountIndex.ts'

/** File of the index in the data path. */
const INDEX_FILE = 'explorer-index.sqlite'

type IndexedNode = {
  readonly node: Pick<RunningNode, 'chain' | 'storage'>
  readonly options: NodeOptions
  /** Gets what stops the index. */
  readonly stops: (() => Promise<void> | void)[]
}

/**
 * Starts the index of transactions by account, if `--explorer-index` asks for it. That of a development chain is in memory and has
 * the chain's own blocks: a reset may begin another chain, also one that forks a network.
 */
export const openNodeIndex = async (
  { node, options, stops }: IndexedNode,
  development: RpcDevelopment | undefined,
): Promise<AccountIndex | undefined> => {
  if (!enabledBy(options).index) return undefined
  const isInMemory = development !== undefined || node.storage.durability === 'none'
  const index = await openAccountIndex({
    chain: node.chain,
    path: isInMemory ? ':memory:' : resolve(options.dataPath, INDEX_FILE),
    first: () => {
      const fork = development?.fork()
      return fork === undefined ? 0n : BigInt(fork.number) + 1n
    },
    scheduler: requestScheduler(),
    log: logOf('explorer'),
  })
  stops.push(index.stop)
  development?.onRewind(({ head }) => index.rewind(head.header.number))
  return index
}
