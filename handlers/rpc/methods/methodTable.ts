import type { Method } from '../method.ts'
import { ADMIN_METHODS } from './admin.ts'
import { DEBUG_RAW_METHODS } from './debug/raw.ts'
import { DEBUG_STATE_METHODS } from './debug/state.ts'
import { DEBUG_TRACE_METHODS } from './debug/trace.ts'
import { DEV_ACCOUNT_METHODS } from './development/accounts.ts'
import { DEV_HEADER_METHODS } from './development/header.ts'
import { DEV_MINING_METHODS } from './development/mining.ts'
import { DEV_NODE_METHODS } from './development/node.ts'
import { DEV_POOL_METHODS } from './development/pool.ts'
import { DEV_SIGNING_METHODS } from './development/signing.ts'
import { DEV_STATE_METHODS } from './development/state.ts'
import { ETH_BLOCK_METHODS } from './eth/blocks.ts'
import { ETH_CALL_METHODS } from './eth/calls.ts'
import { ETH_LOG_METHODS } from './eth/logs.ts'
import { ETH_EXECUTION_API_METHODS } from './eth/executionApis.ts'
import { ETH_NODE_METHODS } from './eth/node.ts'
import { ETH_STATE_METHODS } from './eth/state.ts'
import { ETH_TRANSACTION_METHODS } from './eth/transactions.ts'
import { MINER_METHODS } from './miner.ts'
import { NET_METHODS } from './net.ts'
import { OTS_METHODS } from './ots.ts'
import { PERM_METHODS } from './perm.ts'
import { IBFT2_METHODS } from './qbft/ibft2.ts'
import { QBFT_METHODS } from './qbft/reads.ts'
import { QBFT_VOTE_METHODS } from './qbft/votes.ts'
import { rpcMethods } from './rpc.ts'
import { SNAPSHOT_METHODS } from './snapshots.ts'
import { TRACE_METHODS } from './trace.ts'
import { TXPOOL_METHODS } from './txpool.ts'
import { WEB3_METHODS } from './web3.ts'

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
  ...ETH_EXECUTION_API_METHODS,
  ...QBFT_METHODS,
  ...IBFT2_METHODS,
  ...QBFT_VOTE_METHODS,
  ...ADMIN_METHODS,
  ...SNAPSHOT_METHODS,
  ...PERM_METHODS,
  ...MINER_METHODS,
  ...TXPOOL_METHODS,
  ...DEBUG_RAW_METHODS,
  ...DEBUG_STATE_METHODS,
  ...DEBUG_TRACE_METHODS,
  ...TRACE_METHODS,
  ...OTS_METHODS,
  ...DEV_MINING_METHODS,
  ...DEV_HEADER_METHODS,
  ...DEV_STATE_METHODS,
  ...DEV_POOL_METHODS,
  ...DEV_NODE_METHODS,
  ...DEV_SIGNING_METHODS,
  ...DEV_ACCOUNT_METHODS,
]
