import type { RpcContext } from '../context.ts'

/** True for a chain that forks another network, which has most of its state. */
export const isForked = ({ chain }: Pick<RpcContext, 'chain'>): boolean =>
  chain.store.forkBlock?.() !== undefined
