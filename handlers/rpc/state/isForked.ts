import type { RpcContext } from '../context.ts'

/** Whether most of the chain's state is with a network that it forks. */
export const isForked = ({ chain }: Pick<RpcContext, 'chain'>): boolean =>
  chain.store.forkBlock?.() !== undefined
