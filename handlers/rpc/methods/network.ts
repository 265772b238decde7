import type { RpcContext, RpcNetwork } from '../context.ts'
import { RpcError } from '../errors.ts'
import { required } from '../parameters/values.ts'

/** @throws RpcError where p2p is disabled */
export const networkOf = ({ network }: RpcContext): RpcNetwork => required(network, 'P2P_DISABLED')

/** The enode URL of this node, once it listens. @throws RpcError if the node stops first */
export const listeningEnode = async (network: RpcNetwork): Promise<string> => {
  try {
    return await network.whenListening()
  } catch (cause) {
    throw new RpcError('P2P_NOT_RUNNING', { cause })
  }
}
