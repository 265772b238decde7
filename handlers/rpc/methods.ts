import type { Method } from './method.ts'
import { ADMIN_METHODS } from './methods/admin.ts'
import { DEBUG_METHODS } from './methods/debug.ts'
import { DEBUG_STATE_METHODS } from './methods/debugState.ts'
import { DEBUG_TRACE_METHODS } from './methods/debugTrace.ts'
import { ETH_BLOCK_METHODS } from './methods/ethBlocks.ts'
import { ETH_CALL_METHODS } from './methods/ethCalls.ts'
import { ETH_LOG_METHODS } from './methods/ethLogs.ts'
import { ETH_MORE_METHODS } from './methods/ethMore.ts'
import { ETH_NODE_METHODS } from './methods/ethNode.ts'
import { ETH_STATE_METHODS } from './methods/ethState.ts'
import { ETH_TRANSACTION_METHODS } from './methods/ethTransactions.ts'
import { MINER_METHODS } from './methods/miner.ts'
import { NET_METHODS } from './methods/net.ts'
import { QBFT_METHODS } from './methods/qbft.ts'
import { QBFT_VOTE_METHODS } from './methods/qbftVotes.ts'
import { rpcMethods } from './methods/rpc.ts'
import { TRACE_METHODS } from './methods/trace.ts'
import { TXPOOL_METHODS } from './methods/txpool.ts'
import { WEB3_METHODS } from './methods/web3.ts'

/** Every JSON-RPC method: dispatch, groups, permissions and documentation come from these rows. */
export const METHODS: readonly Method[] = [
  ...rpcMethods(() => METHODS),
  ...NET_METHODS,
  ...WEB3_METHODS,
  ...ETH_NODE_METHODS,
  ...ETH_BLOCK_METHODS,
  ...ETH_TRANSACTION_METHODS,
  ...ETH_STATE_METHODS,
  ...ETH_CALL_METHODS,
  ...ETH_LOG_METHODS,
  ...ETH_MORE_METHODS,
  ...QBFT_METHODS,
  ...QBFT_VOTE_METHODS,
  ...ADMIN_METHODS,
  ...MINER_METHODS,
  ...TXPOOL_METHODS,
  ...DEBUG_METHODS,
  ...DEBUG_STATE_METHODS,
  ...DEBUG_TRACE_METHODS,
  ...TRACE_METHODS,
]
