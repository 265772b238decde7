import { toHex, toQuantity } from '../../../../core/bytes/hex.ts'
import type { Block } from '../../../../core/block/block.ts'
import type { BuildOptions, BuiltBlock, Chain, RecordImport } from '../../../../core/chain/chain.ts'
import { QBFT_MIX_HASH, qbftSealHash } from '../../../../core/block/codec/blockHash.ts'
import { decodeExtraData, encodeExtraData } from '../../../../core/block/codec/extraData.ts'
import { sealOfSignature } from '../../../../core/block/codec/seal.ts'
import { signTransaction } from '../../../../core/block/codec/signature.ts'
import type { UnsignedTransaction } from '../../../../core/block/codec/transactionItem.ts'
import type { Header } from '../../../../core/block/header.ts'
import { type OpenChainOptions, openChain } from '../../../../core/chain/opening/openChain.ts'
import { InvalidBlock } from '../../../../core/chain/rules/invalidBlock.ts'
import type { RecoveredTransaction } from '../../../../core/block/transaction.ts'
import { sign } from '../../../../core/crypto/crypto.ts'
import { parseGenesis } from '../../../../core/genesis/parse/parse.ts'
import { openChainStore } from '../../../../core/store/chainStore.ts'
import type { KeyValueStore } from '../../../../core/store/keyvalue/keyvalue.ts'
import { type Key, USERS, VALIDATORS } from './keys.ts'
import { memoryStore } from './memory.ts'
import { BARE_FIELDS } from '../../../support/chains/bareFields.ts'

export const CHAIN_ID = 1337
export const GENESIS_TIME = 1_700_000_000n
export const PERIOD_SECONDS = 2n

/** The `config` keys that activate a fork, and all earlier ones, at genesis. */
export const FORKS = {
  istanbul: { istanbulBlock: 0 },
  berlin: { berlinBlock: 0 },
  london: { londonBlock: 0 },
  shanghai: { londonBlock: 0, shanghaiTime: 0 },
  cancun: { londonBlock: 0, shanghaiTime: 0, cancunTime: 0 },
  prague: { londonBlock: 0, shanghaiTime: 0, cancunTime: 0, pragueTime: 0 },
  osaka: { londonBlock: 0, shanghaiTime: 0, cancunTime: 0, pragueTime: 0, osakaTime: 0 },
} as const

export type TestGenesis = {
  readonly fork?: keyof typeof FORKS
  /** Further keys of `config`. */
  readonly config?: object
  readonly qbft?: object
  /** Top-level keys. */
  readonly top?: object
  readonly alloc?: object
  readonly validators?: readonly Key[]
}

/** A genesis file of a QBFT chain with four validators, a period of two seconds, and funded users. */
export const genesisFile = (genesis: TestGenesis = {}): object => ({
  config: {
    chainId: CHAIN_ID,
    ...FORKS[genesis.fork ?? 'prague'],
    qbft: { blockperiodseconds: Number(PERIOD_SECONDS), epochlength: 30_000, ...genesis.qbft },
    ...genesis.config,
  },
  difficulty: '0x1',
  gasLimit: '0x1c9c380',
  timestamp: toQuantity(GENESIS_TIME),
  mixHash: toHex(QBFT_MIX_HASH),
  extraData: toHex(
    encodeExtraData({
      vanity: new Uint8Array(32),
      validators: (genesis.validators ?? VALIDATORS).map(({ address }) => address),
      vote: undefined,
      round: 0,
      seals: [],
    }),
  ),
  alloc: {
    ...Object.fromEntries(USERS.map(({ address }) => [toHex(address), { balance: '0x56bc75e2d63100000' }])),
    ...genesis.alloc,
  },
  ...genesis.top,
})

export type TestChain = Chain & RecordImport & { readonly errors: readonly unknown[] }

export const openTestChain = async (
  genesis: TestGenesis = {},
  kv: KeyValueStore = memoryStore(),
  options: Partial<OpenChainOptions> = {},
): Promise<TestChain> => {
  const errors: unknown[] = []
  const chain = await openChain({
    genesis: parseGenesis(genesisFile(genesis)),
    store: await openChainStore(kv),
    onError: error => errors.push(error),
    ...options,
  })
  return { ...chain, errors }
}

export const candidatesOf = (transactions: readonly RecoveredTransaction[]): BuildOptions['candidates'] => {
  const skipped = new Set<string>()
  let position = 0
  return {
    next() {
      for (;;) {
        const sent = transactions[position++]
        if (sent === undefined || !skipped.has(toHex(sent.sender))) return sent
      }
    },
    skip: sender => void skipped.add(toHex(sender)),
  }
}

/** Builds a block of the first validator with these transactions on the head, a period after it. */
export const build = (
  chain: Chain,
  transactions: readonly RecoveredTransaction[] = [],
  options: Partial<BuildOptions> = {},
): Promise<BuiltBlock> =>
  chain.buildBlock({
    coinbase: VALIDATORS[0].address,
    timestamp: chain.head().header.timestamp + PERIOD_SECONDS,
    targetGasLimit: undefined,
    vanity: new Uint8Array(0),
    minGasPrice: 0n,
    round: 0,
    candidates: candidatesOf(transactions),
    full: () => false,
    ...options,
  })

/** The header with only the seals of these keys. */
export const sealedHeader = (header: Header, keys: readonly Key[] = VALIDATORS): Header => {
  const digest = qbftSealHash(header)
  const seals = keys.map(({ privateKey }) => sealOfSignature(sign(digest, privateKey)))
  return { ...header, extraData: encodeExtraData({ ...decodeExtraData(header.extraData), seals }) }
}

/** A block with a changed header, sealed again by all. */
export const resealed = (
  block: Block,
  change: Partial<Header>,
  keys: readonly Key[] = VALIDATORS,
): Block => ({
  ...block,
  header: sealedHeader({ ...block.header, ...change }, keys),
})

/** A sealed block that the chain would accept. */
export const nextBlock = async (
  chain: Chain,
  transactions: readonly RecoveredTransaction[] = [],
  options: Partial<BuildOptions> = {},
  keys: readonly Key[] = VALIDATORS,
): Promise<Block> => {
  const { block } = await build(chain, transactions, options)
  return { ...block, header: sealedHeader(block.header, keys) }
}

/** Builds, seals and commits. */
export const extend = async (
  chain: Chain,
  transactions: readonly RecoveredTransaction[] = [],
  options: Partial<BuildOptions> = {},
  keys: readonly Key[] = VALIDATORS,
): Promise<Block> => {
  const built = await build(chain, transactions, options)
  const header = sealedHeader(built.block.header, keys)
  await chain.commitBuilt(built, header)
  return { ...built.block, header }
}

/** Imports a block at the time at which it is due. */
export const importNow = (
  chain: Chain,
  block: Block,
  nowMs = Number(block.header.timestamp) * 1000,
): Promise<'imported' | 'known'> => chain.importBlock(block, { nowMs })

/** The rule that the block violates; undefined when the chain accepts it. */
export const brokenRule = async (chain: Chain, block: Block, nowMs?: number): Promise<string | undefined> => {
  try {
    await importNow(chain, block, nowMs)
  } catch (error) {
    if (error instanceof InvalidBlock) return error.rule
    throw error
  }
  return undefined
}

export const transfer = (
  from: Key,
  nonce: number,
  change: Partial<UnsignedTransaction> = {},
): RecoveredTransaction => ({
  transaction: signTransaction(
    {
      type: 0,
      chainId: BigInt(CHAIN_ID),
      nonce: BigInt(nonce),
      maxPriorityFeePerGas: 2_000_000_000n,
      maxFeePerGas: 2_000_000_000n,
      gasLimit: 21_000n,
      to: new Uint8Array(20).fill(0xaa),
      value: 1n,
      data: new Uint8Array(0),
      ...BARE_FIELDS,
      ...change,
    },
    from.privateKey,
  ),
  sender: from.address,
})

/** The rejection of the promise; undefined when it resolves. */
export const failureOf = async (promise: Promise<unknown>): Promise<unknown> => {
  try {
    await promise
  } catch (error) {
    return error
  }
  return undefined
}
