import type { RpcDevelopment } from '../../../handlers/rpc/development/development.ts'
import type { Miner } from './miner.ts'
import type { OpenDevelopmentOptions } from './open.ts'

/** Opens what a development chain offers. Any other chain has none of it, and its node does not load the code. */
export const openIfDevelopment = async (
  from: OpenDevelopmentOptions,
): Promise<{ readonly rpc: RpcDevelopment; readonly miner: Miner } | undefined> => {
  if (from.node.development === undefined) return undefined
  const { openDevelopment } = await import('./open.ts')
  return openDevelopment(from)
}
