import type { RpcDevelopment } from '../../../handlers/rpc/development/development.ts'
import type { Miner } from './miner.ts'
import type { OpenDevelopmentOptions } from './open.ts'

/** Opens the features of a development chain. A node of any other chain does not load their code. */
export const openIfDevelopment = async (
  from: OpenDevelopmentOptions,
): Promise<{ readonly rpc: RpcDevelopment; readonly miner: Miner } | undefined> => {
  if (from.node.development === undefined) return undefined
  const { openDevelopment } = await import('./open.ts')
  return openDevelopment(from)
}
