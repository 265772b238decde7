import { plainHeader } from './plainHeader.ts'
import { EMPTY_BYTES, type Hash, ZERO_ADDRESS, ZERO_HASH } from '../../../core/bytes/bytes.ts'
import { bigintToFixedBytes } from '../../../core/bytes/integer.ts'
import { joinBlooms, logsBloom } from '../../../core/block/codec/bloom.ts'
import { rawHeaderHash } from '../../../core/block/codec/header.ts'
import { transactionOf } from '../../../core/block/codec/transaction.ts'
import type { Log, Receipt } from '../../../core/block/receipt.ts'
import type { Transaction } from '../../../core/block/transaction.ts'
import { EMPTY_LIST_HASH, EMPTY_TRIE_ROOT } from '../../../core/crypto/constants.ts'
import type { BlockCommit } from '../../../core/store/store.ts'
import { BARE_FIELDS } from './bareFields.ts'

/** The logs of one block, by transaction. */
export type LogsOfBlock = readonly (readonly Log[])[]

const transactionAt = (block: number, index: number): Transaction =>
  transactionOf({
    type: 0,
    chainId: 1337n,
    nonce: BigInt(index),
    maxPriorityFeePerGas: 10n,
    maxFeePerGas: 10n,
    gasLimit: 21_000n,
    to: ZERO_ADDRESS,
    value: BigInt(block),
    data: EMPTY_BYTES,
    ...BARE_FIELDS,
    yParity: 0,
    r: 1n,
    s: 1n,
  })

const receiptOf = (logs: readonly Log[]): Receipt => ({
  type: 0,
  status: true,
  postStateRoot: undefined,
  cumulativeGasUsed: 21_000n,
  logsBloom: logsBloom(logs),
  logs,
  gasUsed: 21_000n,
  effectiveGasPrice: 10n,
  contractAddress: undefined,
  blobGasUsed: 0n,
  blobGasPrice: 0n,
  revertReason: undefined,
})

/** Blocks that leave these logs and change nothing else, from `parent` on or from genesis. */
export function* logChain(blocks: Iterable<LogsOfBlock>, parent?: BlockCommit): Generator<BlockCommit> {
  let number = parent === undefined ? 0 : Number(parent.block.header.number) + 1
  let parentHash: Hash = parent?.hash ?? ZERO_HASH
  for (const logs of blocks) {
    const receipts = logs.map(receiptOf)
    const header = plainHeader({
      parentHash,
      ommersHash: EMPTY_LIST_HASH,
      stateRoot: EMPTY_TRIE_ROOT,
      transactionsRoot: EMPTY_TRIE_ROOT,
      receiptsRoot: EMPTY_TRIE_ROOT,
      logsBloom: joinBlooms(receipts.map(receipt => receipt.logsBloom)),
      number: BigInt(number),
      gasLimit: 30_000_000n,
      gasUsed: 21_000n,
      timestamp: 1_700_000_000n + BigInt(number),
      extraData: EMPTY_BYTES,
      mixHash: ZERO_HASH,
      baseFeePerGas: 7n,
    })
    const hash = rawHeaderHash(header)
    yield {
      block: {
        header,
        transactions: logs.map((_, index) => transactionAt(number, index)),
        ommers: [],
        withdrawals: undefined,
      },
      hash,
      totalDifficulty: BigInt(number + 1),
      senders: logs.map(() => ZERO_ADDRESS),
      receipts,
      changes: { accounts: [], codes: [] },
      nodes: [],
    }
    parentHash = hash
    number++
  }
}

/** The nth of the addresses and topics that test chains are made of. */
export const numberedAddress = (index: number): Uint8Array => bigintToFixedBytes(BigInt(index + 1), 20)
export const numberedTopic = (index: number): Uint8Array => bigintToFixedBytes(BigInt(index + 1), 32)

export const numberedLog = (address: number, topics: readonly number[]): Log => ({
  address: numberedAddress(address),
  topics: topics.map(numberedTopic),
  data: EMPTY_BYTES,
})
