import { ZERO_ADDRESS, ZERO_HASH } from '../../../../core/bytes/bytes.ts'
import { toQuantity } from '../../../../core/bytes/hex.ts'
import { nextBaseFee } from '../../../../core/chain/fees/baseFee.ts'
import { excessBlobGasAfter } from '../../../../core/chain/fees/blobFee.ts'
import type { Block, Withdrawal } from '../../../../core/block/block.ts'
import type { Chain } from '../../../../core/chain/chain.ts'
import { ethashDifficulty } from '../../../../core/chain/rules/difficulty.ts'
import { executeInOneGo } from './executeInOneGo.ts'
import type { Header } from '../../../../core/block/header.ts'
import { openChain } from '../../../../core/chain/opening/openChain.ts'
import { ommersHashOf, transactionsRootOf, withdrawalsRootOf } from '../../../../core/chain/rules/body.ts'
import type { RecoveredTransaction } from '../../../../core/block/transaction.ts'
import { EMPTY_LIST_HASH } from '../../../../core/crypto/constants.ts'
import { forkIsAtLeast } from '../../../../core/genesis/fork.ts'
import { parseGenesis } from '../../../../core/genesis/parse/parse.ts'
import { rulesAt } from '../../../../core/genesis/forkSchedule.ts'
import { openChainStore } from '../../../../core/store/chainStore.ts'
import { memoryStore } from './memory.ts'

export const PERIOD_SECONDS = 15n

/** A chain that is not QBFT, with further `config` keys beside `ethash`. */
export const openEthashChain = async (config: object, alloc: object = {}): Promise<Chain> =>
  openChain({
    genesis: parseGenesis({
      config: { chainId: 1337, ethash: {}, ...config },
      difficulty: '0x20000',
      gasLimit: '0x1c9c380',
      timestamp: toQuantity(1_700_000_000),
      alloc,
    }),
    store: await openChainStore(memoryStore()),
    onError: error => {
      throw error
    },
  })

export type EthashBlock = {
  readonly transactions?: readonly RecoveredTransaction[]
  readonly ommers?: readonly Header[]
  readonly withdrawals?: readonly Withdrawal[]
  readonly timestamp?: bigint
  readonly coinbase?: Uint8Array
  readonly extraData?: Uint8Array
  /** Proof of stake. */
  readonly stake?: boolean
}

/** The next block of the chain, valid by every rule; of proof of work without the work, or of `stake`. */
export const ethashBlock = async (chain: Chain, wanted: EthashBlock = {}): Promise<Block> => {
  const { configuration, store } = chain
  const parent = chain.head()
  const { transactions = [], ommers = [], stake = false } = wanted
  const number = parent.header.number + 1n
  const timestamp = wanted.timestamp ?? parent.header.timestamp + PERIOD_SECONDS
  const work = stake ? 0n : 1n
  const rules = rulesAt(configuration, number, timestamp, work)
  const parentRules = rulesAt(
    configuration,
    parent.header.number,
    parent.header.timestamp,
    parent.header.difficulty,
  )
  const since = (fork: 'shanghai' | 'cancun' | 'prague'): boolean => forkIsAtLeast(rules.fork, fork)
  const withdrawals = since('shanghai') ? (wanted.withdrawals ?? []) : undefined
  const jump = forkIsAtLeast(rules.fork, 'london') && !forkIsAtLeast(parentRules.fork, 'london') ? 2n : 1n
  const open = {
    parentHash: parent.hash,
    coinbase: wanted.coinbase ?? ZERO_ADDRESS,
    difficulty: stake
      ? 0n
      : ethashDifficulty({
          fork: rules.fork,
          number,
          timestamp,
          parentTimestamp: parent.header.timestamp,
          parentDifficulty: parent.header.difficulty,
          parentHasOmmers: Buffer.compare(parent.header.ommersHash, EMPTY_LIST_HASH) !== 0,
        }),
    number,
    gasLimit: parent.header.gasLimit * jump,
    timestamp,
    mixHash: ZERO_HASH,
    baseFeePerGas: nextBaseFee({
      configuration,
      rules,
      parent: parent.header,
      parentRules,
      genesisBaseFeePerGas: chain.genesis.header.baseFeePerGas,
      minGasPrice: 0n,
    }),
    excessBlobGas:
      since('cancun') && rules.blob !== undefined
        ? excessBlobGasAfter(rules, rules.blob, parent.header)
        : undefined,
    parentBeaconBlockRoot: since('cancun') ? new Uint8Array(32).fill(0xbe) : undefined,
  }
  let index = 0
  const result = executeInOneGo({
    configuration,
    rules,
    header: open,
    transactions: {
      next: () => transactions[index++],
      refuse: (_, reason) => {
        throw reason
      },
    },
    ommers,
    withdrawals,
    parentStateRoot: parent.header.stateRoot,
    reader: store.stateAt(parent.header.number),
    nodes: store.nodes(),
    blockHash: past => store.recentHash(past),
  })
  const body = transactions.map(({ transaction }) => transaction)
  return {
    header: {
      ...open,
      ommersHash: ommersHashOf(ommers),
      stateRoot: result.stateRoot,
      transactionsRoot: transactionsRootOf(body),
      receiptsRoot: result.receiptsRoot,
      logsBloom: result.logsBloom,
      gasUsed: result.gasUsed,
      extraData: wanted.extraData ?? new Uint8Array(0),
      nonce: new Uint8Array(8),
      withdrawalsRoot: withdrawals === undefined ? undefined : withdrawalsRootOf(withdrawals),
      blobGasUsed: since('cancun') ? result.blobGasUsed : undefined,
      requestsHash: result.requestsHash,
    },
    transactions: body,
    ommers,
    withdrawals,
  }
}
