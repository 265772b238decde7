import { EMPTY_LIST_HASH, EMPTY_TRIE_ROOT } from '../../crypto/constants.ts'
import { type Address, type Hash, padStartBytes, ZERO_HASH } from '../../bytes/bytes.ts'
import { maxBigint, minBigint } from '../../bytes/integer.ts'
import type { ChainConfiguration, QbftParameters, Rules } from '../../genesis/configuration.ts'
import { forkIsAtLeast } from '../../genesis/fork.ts'
import { EMPTY_REQUESTS_HASH } from '../../genesis/genesisBlock.ts'
import type { ChainHead } from '../../store/store.ts'
import { nextBaseFee } from '../fees/baseFee.ts'
import { excessBlobGasAfter } from '../fees/blobFee.ts'
import type { BuildOptions } from '../chain.ts'
import { QBFT_MIX_HASH } from '../../block/codec/blockHash.ts'
import { BLOOM_BYTES } from '../../block/codec/bloom.ts'
import { encodeExtraData, VANITY_BYTES } from '../../block/codec/extraData.ts'
import type { ExecutionResult } from '../execution/execution.ts'
import type { Header } from '../../block/header.ts'
import { GAS_LIMIT_MAX, GAS_LIMIT_MIN, gasLimitStepMax, parentGasLimit } from '../rules/header.ts'

export type ProposalInput = {
  readonly configuration: ChainConfiguration
  readonly rules: Rules
  readonly parameters: QbftParameters
  readonly parent: ChainHead
  readonly parentRules: Rules
  readonly genesisBaseFeePerGas: bigint | undefined
  readonly validators: readonly Address[]
  readonly options: BuildOptions
}

/** The gas limit that is as close to the target as one block may move it; `reference` without a target. */
export const nextGasLimit = (reference: bigint, target: bigint | undefined): bigint => {
  if (target === undefined) return reference
  const step = gasLimitStepMax(reference)
  const wanted = minBigint(maxBigint(target, GAS_LIMIT_MIN), GAS_LIMIT_MAX)
  return minBigint(maxBigint(wanted, reference - step), reference + step)
}

/** The extraData without seals; in contract mode also without validators and vote. */
const extraDataFor = ({ options, validators, parameters }: ProposalInput): Uint8Array => {
  const isContract = parameters.validatorSelection.mode === 'contract'
  return encodeExtraData({
    vanity: padStartBytes(options.vanity, VANITY_BYTES),
    validators: isContract ? [] : validators,
    vote: isContract ? undefined : options.vote,
    round: options.round,
    seals: [],
  })
}

/** The header of the next QBFT block before its execution: the header of an empty block without a state root. */
export const proposalHeader = (input: ProposalInput): Header => {
  const { configuration, rules, parent, options } = input
  const isCancun = forkIsAtLeast(rules.fork, 'cancun')
  return {
    parentHash: parent.hash,
    ommersHash: EMPTY_LIST_HASH,
    coinbase: options.coinbase,
    stateRoot: ZERO_HASH,
    transactionsRoot: EMPTY_TRIE_ROOT,
    receiptsRoot: EMPTY_TRIE_ROOT,
    logsBloom: new Uint8Array(BLOOM_BYTES),
    difficulty: 1n,
    number: parent.header.number + 1n,
    gasLimit: options.chosen?.gasLimit ?? nextGasLimit(parentGasLimit(input), options.targetGasLimit),
    gasUsed: 0n,
    timestamp: options.timestamp,
    extraData: extraDataFor(input),
    mixHash: QBFT_MIX_HASH,
    nonce: new Uint8Array(8),
    baseFeePerGas:
      options.chosen?.baseFeePerGas ??
      nextBaseFee({
        configuration,
        rules,
        parent: parent.header,
        parentRules: input.parentRules,
        genesisBaseFeePerGas: input.genesisBaseFeePerGas,
        minGasPrice: options.minGasPrice,
      }),
    withdrawalsRoot: forkIsAtLeast(rules.fork, 'shanghai') ? EMPTY_TRIE_ROOT : undefined,
    blobGasUsed: isCancun ? 0n : undefined,
    excessBlobGas:
      isCancun && rules.blob !== undefined ? excessBlobGasAfter(rules, rules.blob, parent.header) : undefined,
    // As in Besu, which refuses blocks without a requests hash from Prague on: there is no beacon chain.
    parentBeaconBlockRoot: isCancun ? ZERO_HASH : undefined,
    requestsHash: forkIsAtLeast(rules.fork, 'prague') ? EMPTY_REQUESTS_HASH : undefined,
  }
}

/** The header with the results of execution. */
export const executedHeader = (header: Header, result: ExecutionResult, transactionsRoot: Hash): Header => ({
  ...header,
  stateRoot: result.stateRoot,
  transactionsRoot,
  receiptsRoot: result.receiptsRoot,
  logsBloom: result.logsBloom,
  gasUsed: result.gasUsed,
  requestsHash: result.requestsHash,
})
