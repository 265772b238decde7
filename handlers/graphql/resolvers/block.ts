import { fromHex } from '../../../core/bytes/hex.ts'
import { encodeBody } from '../../../core/block/codec/block.ts'
import { blockHash } from '../../../core/block/codec/blockHash.ts'
import { extraDataOf, type QbftExtraData } from '../../../core/block/codec/extraData.ts'
import { encodeHeader, rawHeaderHash } from '../../../core/block/codec/header.ts'
import type { Header } from '../../../core/block/header.ts'
import type { BlockRecord } from '../../../core/store/store.ts'
import { nextHeadOf } from '../../rpc/fees/nextHead.ts'
import type { BlockSelector } from '../../rpc/parameters/block.ts'
import type { RequestScope } from '../context.ts'
import { type CallData, call, estimateGas } from './calls.ts'
import { findLogs, type LogCriteria } from './log.ts'
import type { Resolvers } from './resolver.ts'
import {
  type AccountSource,
  type BlockSource,
  minedTransaction,
  readBlock,
  type TransactionSource,
} from './sources.ts'

const byNumber = (number: bigint): BlockSelector => ({ kind: 'number', number })

/** A field of the body; null for an ommer, which has a header only. */
const ofBody =
  (read: (record: BlockRecord) => unknown) =>
  ({ record }: BlockSource): unknown =>
    record === undefined ? null : (read(record) ?? null)

const ommerOf = (header: Header): BlockSource => ({ header, record: undefined, isOmmer: true })

/** The element at an index of any size, or null. */
const at = <T>(list: readonly T[], index: bigint): T | null =>
  index >= 0n && index < BigInt(list.length) ? (list[Number(index)] ?? null) : null

/** The decoded extraData; undefined where the chain is not QBFT. */
const consensusOf = ({ header, isOmmer }: BlockSource, { rpc }: RequestScope): QbftExtraData | undefined =>
  isOmmer || rpc.chain.configuration.consensus.kind !== 'qbft' ? undefined : extraDataOf(header)

/** The base fee of the following block where it exists, otherwise the one that the node computes for it. */
const nextBaseFeePerGas = async ({ header }: BlockSource, { rpc }: RequestScope): Promise<bigint | null> => {
  const { chain } = rpc
  if (header.number < chain.head().header.number)
    return (await chain.store.header(header.number + 1n))?.baseFeePerGas ?? null
  return nextHeadOf(rpc).nextBaseFeePerGas ?? null
}

export const BLOCK_RESOLVERS: Resolvers<BlockSource> = {
  number: ({ header }) => header.number,
  hash: ({ header, record, isOmmer }, _, { rpc: { chain } }) => {
    if (isOmmer) return rawHeaderHash(header)
    return (
      record?.hash ??
      chain.store.recentHash(header.number) ??
      blockHash(chain.configuration.consensus, header)
    )
  },
  parent: ({ header, isOmmer }, _, scope, info) =>
    // By the protocol the parent of an ommer is a block of the chain.
    header.number === 0n
      ? null
      : isOmmer
        ? readBlock(scope, { kind: 'hash', hash: header.parentHash }, info)
        : readBlock(scope, byNumber(header.number - 1n), info),
  nonce: ({ header }) => header.nonce,
  transactionsRoot: ({ header }) => header.transactionsRoot,
  transactionCount: ofBody(({ block }) => block.transactions.length),
  stateRoot: ({ header }) => header.stateRoot,
  receiptsRoot: ({ header }) => header.receiptsRoot,
  miner: ({ header }, { block }: { readonly block?: bigint | null }): AccountSource => ({
    address: header.coinbase,
    number: block ?? header.number,
  }),
  extraData: ({ header }) => header.extraData,
  gasLimit: ({ header }) => header.gasLimit,
  gasUsed: ({ header }) => header.gasUsed,
  baseFeePerGas: ({ header }) => header.baseFeePerGas ?? null,
  nextBaseFeePerGas: (source, _, scope) => (source.isOmmer ? null : nextBaseFeePerGas(source, scope)),
  timestamp: ({ header }) => header.timestamp,
  logsBloom: ({ header }) => header.logsBloom,
  mixHash: ({ header }) => header.mixHash,
  difficulty: ({ header }) => header.difficulty,
  totalDifficulty: ({ record }) => record?.totalDifficulty ?? 0n,
  ommerCount: ofBody(({ block }) => block.ommers.length),
  ommers: ofBody(({ block }) => block.ommers.map(ommerOf)),
  ommerAt: ({ record }, { index }: { readonly index: bigint }) => {
    const ommer = at(record?.block.ommers ?? [], index)
    return ommer === null ? null : ommerOf(ommer)
  },
  ommerHash: ({ header }) => header.ommersHash,
  transactions: ({ record }, _, { yieldingList }) =>
    record === undefined
      ? null
      : yieldingList(record.block.transactions.map((_transaction, index) => minedTransaction(record, index))),
  transactionAt: ({ record }, { index }: { readonly index: bigint }): TransactionSource | null =>
    record === undefined || at(record.block.transactions, index) === null
      ? null
      : minedTransaction(record, Number(index)),
  logs: ({ header, isOmmer }, { filter }: { readonly filter: LogCriteria }, scope, info) =>
    isOmmer ? [] : findLogs(scope, filter, header.number, header.number, info).then(scope.yieldingList),
  account: ({ header }, { address }: { readonly address: string }): AccountSource => ({
    address: fromHex(address),
    number: header.number,
  }),
  call: ({ header }, { data }: { readonly data: CallData }, scope) => call(scope, header.number, data),
  estimateGas: ({ header }, { data }: { readonly data: CallData }, scope) =>
    estimateGas(scope, header.number, data),
  rawHeader: ({ header }) => encodeHeader(header),
  raw: ({ record }) => (record === undefined ? new Uint8Array() : encodeBody(record.block)),
  withdrawalsRoot: ({ header }) => header.withdrawalsRoot ?? null,
  withdrawals: ofBody(({ block }) =>
    block.withdrawals?.map(({ index, validatorIndex, address, amountGwei }) => ({
      index,
      validator: validatorIndex,
      address,
      amount: amountGwei,
    })),
  ),
  blobGasUsed: ({ header }) => header.blobGasUsed ?? null,
  excessBlobGas: ({ header }) => header.excessBlobGas ?? null,
  proposer: (source, _, scope) => {
    const { header } = source
    return header.number === 0n || consensusOf(source, scope) === undefined ? null : header.coinbase
  },
  round: (source, _, scope) => consensusOf(source, scope)?.round ?? null,
  seals: (source, _, scope) => consensusOf(source, scope)?.seals ?? null,
}
