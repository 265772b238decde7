import { requestScheduler } from '../../../handlers/inbound/requestScheduler.ts'
import type { Address } from '../../../core/bytes/bytes.ts'
import { fromHex, toHex } from '../../../core/bytes/hex.ts'
import { bigintToFixedBytes } from '../../../core/bytes/integer.ts'
import { createBadBlocks, keepBadBlocks } from '../../../core/chain/importing/badBlocks.ts'
import type { BuildOptions, Chain } from '../../../core/chain/chain.ts'
import { openChain } from '../../../core/chain/opening/openChain.ts'
import type { RecoveredTransaction } from '../../../core/block/transaction.ts'
import { addressOfPrivateKey } from '../../../core/crypto/crypto.ts'
import { developmentGenesis } from '../../../core/genesis/development/development.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../../core/genesis/development/accounts.ts'
import { parseGenesis } from '../../../core/genesis/parse/parse.ts'
import { type ChainStoreOptions, openChainStore } from '../../../core/store/chainStore.ts'
import { keyValueOfDriver } from '../../../core/store/keyvalue/driverStore.ts'
import { POOL_OPTIONS, type PoolOptions } from '../../../core/txpool/admission.ts'
import { poolHeadOf } from '../../../core/txpool/head.ts'
import type { PoolHead, TransactionPool } from '../../../core/txpool/pool.ts'
import { createTransactionPool } from '../../../core/txpool/transactionPool.ts'
import { createRpcApp, createRpcContext, HTTP_DEFAULTS, type RpcApp } from '../../../handlers/http/app.ts'
import { qbftSealHash } from '../../../core/block/codec/blockHash.ts'
import { sealOfSignature } from '../../../core/block/codec/seal.ts'
import { sign } from '../../../core/crypto/crypto.ts'
import { withSeals } from '../../../core/qbft/codec/roundOfBlock.ts'
import {
  RPC_DEFAULTS,
  type RpcContext,
  type RpcHost,
  type RpcOptions,
} from '../../../handlers/rpc/context.ts'
import { createSubmission, recoverSendersHere } from './submission.ts'
import { openMemoryDriver } from '../../../runtime/drivers/memory.ts'

const VALIDATOR_KEY = fromHex(`0x${'01'.repeat(32)}`)

export const VALIDATOR: Address = addressOfPrivateKey(VALIDATOR_KEY)

/** What the development chain's genesis file says as `config`. */
export const DEVELOPMENT_CONFIG = {
  chainId: 1337,
  londonBlock: 0,
  shanghaiTime: 0,
  cancunTime: 0,
  pragueTime: 0,
  osakaTime: 0,
  qbft: { epochLength: 30_000, blockPeriodSeconds: 1, requestTimeoutSeconds: 4 },
}

export const ACCOUNTS = DEVELOPMENT_ACCOUNTS.map(({ address, privateKey }) => ({
  address: toHex(address) as `0x${string}`,
  privateKey: toHex(privateKey) as `0x${string}`,
}))

export type RpcReply = {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** A whole node in this process, but for its clock and its timers: blocks come when they are asked for. */
export type TestNode = RpcApp & {
  readonly chain: Chain
  readonly pool: TransactionPool
  readonly context: RpcContext
  /** Milliseconds since 1970, as the node sees it. */
  nowMs: number
  /** One more block, with what the pool has. */
  mine(): Promise<void>
  /** One more block without transactions. */
  mineEmpty(): Promise<void>
  rpc(method: string, ...params: readonly unknown[]): Promise<RpcReply>
  /** The result. @throws when it is an error */
  call(method: string, ...params: readonly unknown[]): Promise<unknown>
  close(): Promise<void>
}

export type TestNodeOptions = {
  readonly rpc?: Partial<RpcOptions>
  readonly pool?: Partial<PoolOptions>
  readonly host?: Partial<
    Pick<
      RpcHost,
      | 'network'
      | 'mining'
      | 'round'
      | 'syncing'
      | 'votes'
      | 'differences'
      | 'warn'
      | 'miner'
      | 'coinbase'
      | 'services'
      | 'setLogLevel'
      | 'reportError'
    >
  >
  readonly store?: ChainStoreOptions
  /** Over the development genesis. */
  readonly genesis?: (genesis: Record<string, unknown>) => void
}

export const startTestNode = async (options: TestNodeOptions = {}): Promise<TestNode> => {
  const genesisFile = developmentGenesis({ validator: VALIDATOR }) as Record<string, unknown>
  options.genesis?.(genesisFile)
  const store = await openChainStore(keyValueOfDriver(openMemoryDriver(), 'none'), options.store)
  const raise = (error: unknown): never => {
    throw error
  }
  const opened = await openChain({ genesis: parseGenesis(genesisFile), store, onError: raise })
  const badBlocks = createBadBlocks()
  const chain = keepBadBlocks(opened, badBlocks)
  const pool = createTransactionPool({ ...POOL_OPTIONS, ...options.pool })
  const clock = { nowMs: 1_700_000_000_000 }
  const nowMs = (): number => clock.nowMs
  const rpcOptions: RpcOptions = {
    ...RPC_DEFAULTS,
    apis: ['ETH', 'NET', 'WEB3', 'QBFT', 'TXPOOL', 'DEBUG', 'TRACE'],
    clientVersion: 'quorate/v0.1.0/test',
    networkId: chain.configuration.chainId,
    ...options.rpc,
  }
  const { minGasPrice, minPriorityFee } = rpcOptions
  let randomNumber = 0n
  const context = createRpcContext({
    chain,
    pool,
    options: rpcOptions,
    nowMs,
    scheduler: requestScheduler(),
    randomBytes: length => bigintToFixedBytes(++randomNumber, length),
    recoverSenders: recoverSendersHere,
    submit: createSubmission({ chain, pool, nowMs, minGasPrice }),
    network: undefined,
    mining: () => Promise.resolve(true),
    syncing: () => undefined,
    votes: undefined,
    differences: () => [],
    badBlocks: badBlocks.list,
    warn: () => undefined,
    reportError: (method, error) => {
      throw new Error(`${method} failed`, { cause: error })
    },
    ...options.host,
  })
  const app = createRpcApp(context, HTTP_DEFAULTS)

  const makeBlock = async (candidates: (head: PoolHead) => BuildOptions['candidates']): Promise<void> => {
    clock.nowMs += 1000
    const timestamp = BigInt(Math.floor(clock.nowMs / 1000))
    const built = await chain.buildBlock({
      coinbase: VALIDATOR,
      timestamp,
      targetGasLimit: undefined,
      vanity: new Uint8Array(32),
      minGasPrice,
      round: 0,
      candidates: candidates(poolHeadOf(chain, timestamp, { minGasPrice, minPriorityFee })),
      full: () => false,
    })
    for (const { transaction } of built.rejected) pool.remove(transaction.transaction.hash)
    const seal = sealOfSignature(sign(qbftSealHash(built.block.header), VALIDATOR_KEY))
    await chain.commitBuilt(built, withSeals(built.block, 0, [seal]).header)
    const mined = built.block.transactions.map(
      (transaction, index): RecoveredTransaction => ({
        transaction,
        sender: built.senders[index] as Address,
      }),
    )
    pool.removeMined(mined, poolHeadOf(chain, timestamp, { minGasPrice, minPriorityFee }))
  }

  const rpc = async (method: string, ...params: readonly unknown[]): Promise<RpcReply> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const headers = { host: 'localhost', 'content-length': String(body.length) }
    const response = await app.fetch(new Request('http://localhost/', { method: 'POST', body, headers }))
    return (await response.json()) as RpcReply
  }

  return {
    ...app,
    chain,
    pool,
    context,
    get nowMs() {
      return clock.nowMs
    },
    set nowMs(value) {
      clock.nowMs = value
    },
    mine: () => makeBlock(head => pool.candidates(head)),
    mineEmpty: () => makeBlock(() => ({ next: () => undefined, skip: () => undefined })),
    rpc,
    call: async (method, ...params) => {
      const reply = await rpc(method, ...params)
      if (reply.error !== undefined) throw new Error(`${method}: ${JSON.stringify(reply.error)}`)
      return reply.result
    },
    close: () => store.close(),
  }
}
