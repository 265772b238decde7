import type { Chain } from '../../../../core/chain/chain.ts'
import { recoverHere } from '../../../../core/chain/importing/validation.ts'
import { POOL_OPTIONS } from '../../../../core/txpool/admission.ts'
import type { PoolHead, TransactionPool } from '../../../../core/txpool/pool.ts'
import { createTransactionPool } from '../../../../core/txpool/transactionPool.ts'
import type { Sync } from '../../../../p2p/sync/sync.ts'
import { type SyncOptions, startSync } from '../../../../p2p/sync/startSync.ts'
import { configureLog, logOf } from '../../../../runtime/logging/log.ts'
import { logBlock } from '../../../../runtime/logging/logBlock.ts'
import { createYield } from '../../../../runtime/scheduler.ts'
import { createRecoverBlocks } from '../../../../runtime/threads/recovery/recoverBlocks.ts'
import { createPoolHead } from '../../../../runtime/node/pool/submit.ts'
import { createRecoveryPool } from '../../../../runtime/threads/recovery/recoveryPool.ts'
import { extend, openTestChain, type TestGenesis } from '../../../core/chain/support/chain.ts'
import type { Key } from '../../../core/chain/support/keys.ts'
import type { Joined, Wire, WireHandlers } from './wire.ts'

/** Log lines of the nodes of the running test. */
export const logLines: string[] = []

export const captureLog = (): void => {
  logLines.splice(0)
  configureLog({ level: 'DEBUG', format: 'PLAIN', colour: false, write: line => void logLines.push(line) })
}

/** Runs on this thread. */
const recoverBlocks = createRecoverBlocks(createRecoveryPool({ workers: 0 }), () => undefined, new WeakMap())

export const CONFIGURATION: Readonly<Record<string, string>> = {
  chainId: '1337',
  'qbft.blockperiodseconds': '2',
}

export type TestNode = {
  readonly chain: Chain
  readonly pool: TransactionPool
  readonly poolHead: () => PoolHead
  readonly sync: Sync
}

export type NodeOptions = Partial<SyncOptions> & { readonly genesis?: TestGenesis }

/** Chain, pool and sync of one node, without a network. */
export const openNode = async ({ genesis, ...options }: NodeOptions = {}): Promise<TestNode> => {
  const chain = options.chain ?? (await openTestChain(genesis))
  const pool = createTransactionPool(POOL_OPTIONS)
  const poolHead = createPoolHead(chain, () => ({ minGasPrice: 0n, minPriorityFee: 0n }))
  const log = logOf('sync')
  const sync = startSync({
    chain,
    pool,
    poolHead,
    recoverSenders: recoverHere,
    recoverBlocks,
    log,
    nowMs: Date.now,
    createYield: createYield,
    logImported: ({ header, transactions }, hash) =>
      logBlock(log, 'Imported', header, transactions.length, pool.size, hash),
    networkId: 1337n,
    syncMinPeers: 1,
    client: 'test',
    configuration: CONFIGURATION,
    showProgress: undefined,
    ...options,
  })
  return { chain, pool, poolHead, sync, ...options }
}

export type WiredNode = TestNode & { readonly network: Joined }

/** A node on the wire; `handlers` replace its own. */
export const wireNode = async (
  wire: Wire,
  key: Key,
  options: NodeOptions & { readonly handlers?: Partial<WireHandlers> } = {},
): Promise<WiredNode> => {
  const { handlers, ...rest } = options
  const node = await openNode(rest)
  const network = wire.join(key, { ...node.sync.handlers, ...handlers })
  node.sync.attach(network)
  return { ...node, network }
}

/** Extends the chain by that many blocks. */
export const grow = async (chain: Chain, blocks: number): Promise<void> => {
  for (let made = 0; made < blocks; made++) await extend(chain)
}

/** Resolves when the chain has that many blocks. */
export const reaches = (chain: Chain, number: bigint): Promise<void> =>
  new Promise(resolve => {
    const arrived = (): boolean => chain.head().header.number >= number
    if (arrived()) return resolve()
    const unsubscribe = chain.onHead(() => {
      if (!arrived()) return
      unsubscribe()
      resolve()
    })
  })
