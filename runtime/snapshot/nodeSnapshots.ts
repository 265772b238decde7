import type { Chain } from '../../core/chain/chain.ts'
import type { RpcSnapshots } from '../../handlers/rpc/snapshots.ts'
import { logOf } from '../logging/log.ts'
import { createYield } from '../scheduler.ts'
import { openSnapshots, STATE_SET_BY_HAND } from './snapshots.ts'

export type NodeSnapshotsOptions = {
  readonly node: {
    readonly chain: Chain
    /** Undefined unless this is a development chain. */
    readonly development: { readonly chains: { readonly edits: { readonly isEmpty: boolean } } } | undefined
  }
  readonly options: { readonly dataPath: string }
  /** Gets what stops a snapshot that is being written. */
  readonly stops: (() => Promise<void> | void)[]
}

/** The snapshots of a running node. */
export const openNodeSnapshots = ({ node, options, stops }: NodeSnapshotsOptions): RpcSnapshots => {
  const { chain, development } = node
  const snapshots = openSnapshots({
    chain,
    dataPath: options.dataPath,
    createYield,
    nowMs: () => Date.now(),
    log: logOf('snapshot'),
    refusal: () => (development?.chains.edits.isEmpty === false ? STATE_SET_BY_HAND : undefined),
  })
  stops.push(snapshots.stop)
  return snapshots
}
