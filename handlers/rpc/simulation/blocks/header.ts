import { EMPTY_BYTES, type Hash, ZERO_HASH } from '../../../../core/bytes/bytes.ts'
import { nextBaseFeeOn } from '../../../../core/chain/fees/baseFee.ts'
import { excessBlobGasAfter } from '../../../../core/chain/fees/blobFee.ts'
import { BLOOM_BYTES } from '../../../../core/block/codec/bloom.ts'
import type { Header } from '../../../../core/block/header.ts'
import { withdrawalsRootOf } from '../../../../core/chain/rules/body.ts'
import { EMPTY_LIST_HASH, EMPTY_TRIE_ROOT } from '../../../../core/crypto/constants.ts'
import type { Rules } from '../../../../core/genesis/configuration.ts'
import { forkIsAtLeast } from '../../../../core/genesis/fork.ts'
import { rulesAt } from '../../../../core/genesis/forkSchedule.ts'
import type { RpcContext } from '../../context.ts'
import { minGasPriceOf } from '../../fees/nextHead.ts'
import type { PlannedBlock } from './plan.ts'

/** The header of a simulated block before its execution; fields without a value come from its parent. */
export type OpenBlock = { readonly header: Header; readonly rules: Rules }

const baseFeeOf = (
  context: RpcContext,
  rules: Rules,
  parent: Header,
  { blockOverrides }: PlannedBlock,
  validation: boolean,
): bigint | undefined => {
  if (!forkIsAtLeast(rules.fork, 'london')) return undefined
  if (blockOverrides.baseFeePerGas !== undefined) return blockOverrides.baseFeePerGas
  // Without validation the base fee is 0, so that calls without a fee fit.
  if (!validation) return 0n
  return nextBaseFeeOn(context.chain, rules, parent, minGasPriceOf(context))
}

export const openBlock = (
  context: RpcContext,
  block: PlannedBlock,
  parent: { readonly header: Header; readonly hash: Hash },
  validation: boolean,
): OpenBlock => {
  const { configuration } = context.chain
  const { blockOverrides: overrides, number, timestamp } = block
  const difficulty = overrides.difficulty ?? parent.header.difficulty
  const rules = rulesAt(configuration, number, timestamp, difficulty)
  const isShanghai = forkIsAtLeast(rules.fork, 'shanghai')
  const isCancun = forkIsAtLeast(rules.fork, 'cancun')
  const header: Header = {
    parentHash: parent.hash,
    ommersHash: EMPTY_LIST_HASH,
    coinbase: overrides.feeRecipient ?? parent.header.coinbase,
    stateRoot: ZERO_HASH,
    transactionsRoot: EMPTY_TRIE_ROOT,
    receiptsRoot: EMPTY_TRIE_ROOT,
    logsBloom: new Uint8Array(BLOOM_BYTES),
    difficulty,
    number,
    gasLimit: overrides.gasLimit ?? parent.header.gasLimit,
    gasUsed: 0n,
    timestamp,
    extraData: overrides.extraData ?? EMPTY_BYTES,
    mixHash: overrides.prevRandao ?? ZERO_HASH,
    nonce: new Uint8Array(8),
    baseFeePerGas: baseFeeOf(context, rules, parent.header, block, validation),
    withdrawalsRoot: isShanghai ? withdrawalsRootOf(overrides.withdrawals ?? []) : undefined,
    blobGasUsed: isCancun ? 0n : undefined,
    excessBlobGas:
      isCancun && rules.blob !== undefined ? excessBlobGasAfter(rules, rules.blob, parent.header) : undefined,
    // On QBFT, too, whose own blocks have none: the hash equals Besu's and geth's.
    parentBeaconBlockRoot: isCancun ? (overrides.parentBeaconBlockRoot ?? ZERO_HASH) : undefined,
    requestsHash: undefined,
  }
  return { header, rules }
}
