import { resolve } from 'node:path'
import { requestScheduler } from '../../handlers/inbound/requestScheduler.ts'
import type { RpcDevelopment } from '../../handlers/rpc/development/development.ts'
import type { AccountIndex } from '../../handlers/rpc/ots/accountIndex.ts'
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

/** Starts the index of transactions by account, if `--explorer-index` asks for it. */
export const openNodeIndex = async (
  { node, options, stops }: IndexedNode,
  development: RpcDevelopment | undefined,
): Promise<AccountIndex | undefined> => {
  if (!options.explorerIndex) return undefined
  const index = await openAccountIndex({
    chain: node.chain,
    path: node.storage.durability === 'none' ? ':memory:' : resolve(options.dataPath, INDEX_FILE),
    scheduler: requestScheduler(),
    log: logOf('explorer'),
  })
  stops.push(index.stop)
  development?.onRewind(({ head }) => index.rewind(head.header.number))
  return index
}
