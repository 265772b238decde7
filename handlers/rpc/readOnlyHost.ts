import type { Chain } from '../../core/chain/chain.ts'
import { recoverSender } from '../../core/block/codec/signature.ts'
import { POOL_OPTIONS } from '../../core/txpool/admission.ts'
import { createTransactionPool } from '../../core/txpool/transactionPool.ts'
import { requestScheduler } from '../inbound/requestScheduler.ts'
import { RPC_DEFAULTS, type RpcHost, type RpcOptions } from './context.ts'
import { RpcError } from './errors.ts'

export type ReadOnlyHostOptions = {
  readonly chain: Chain
  /** Replaces Besu's defaults. By default `clientVersion` is `quorate` and `networkId` is the chain id. */
  readonly options?: Partial<RpcOptions>
  /** Called with errors that the client did not cause. */
  readonly reportError: RpcHost['reportError']
  /** Called with warnings for the operator; those of a read-only host are few. */
  readonly warn?: RpcHost['warn']
}

/**
 * A host for methods that read the chain: without network, validator and miner, and with an empty pool. Methods that send a
 * transaction fail with -32604 (Method not enabled).
 */
export const createReadOnlyHost = ({
  chain,
  options,
  reportError,
  warn = () => undefined,
}: ReadOnlyHostOptions): RpcHost => ({
  chain,
  pool: createTransactionPool(POOL_OPTIONS),
  options: {
    ...RPC_DEFAULTS,
    clientVersion: 'quorate',
    networkId: chain.configuration.chainId,
    ...options,
  },
  nowMs: () => Date.now(),
  scheduler: requestScheduler(),
  randomBytes: length => crypto.getRandomValues(new Uint8Array(length)),
  recoverSenders: transactions => Promise.resolve(transactions.map(recoverSender)),
  submit: () => Promise.reject(new RpcError('METHOD_NOT_ENABLED')),
  network: undefined,
  mining: () => Promise.resolve(false),
  syncing: () => undefined,
  votes: undefined,
  differences: () => [],
  warn,
  reportError,
})
