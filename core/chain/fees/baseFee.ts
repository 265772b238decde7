import { INITIAL_BASE_FEE_PER_GAS } from '../../genesis/genesisBlock.ts'
import { maxBigint } from '../../bytes/integer.ts'
import type { ChainConfiguration, Rules } from '../../genesis/configuration.ts'
import { forkIsAtLeast } from '../../genesis/fork.ts'
import { rulesAt } from '../../genesis/forkSchedule.ts'
import type { Header } from '../../block/header.ts'

/** EIP-1559: ratio of gas limit and gas target; the London block multiplies the parent's limit by it. */
export const ELASTICITY_MULTIPLIER = 2n
const BASE_FEE_CHANGE_DENOMINATOR = 8n

/**
 * EIP-1559's base fee of the block after `parent`, in wei per gas. As in Besu, a genesis block without base fee counts as 0 if
 * a time fork activates London there; such a network is free.
 */
export const baseFeeAfter = (parent: Pick<Header, 'gasLimit' | 'gasUsed' | 'baseFeePerGas'>): bigint => {
  const parentBaseFee = parent.baseFeePerGas ?? 0n
  const target = parent.gasLimit / ELASTICITY_MULTIPLIER
  if (parent.gasUsed === target || target === 0n) return parentBaseFee
  if (parent.gasUsed > target) {
    const change = (parentBaseFee * (parent.gasUsed - target)) / target / BASE_FEE_CHANGE_DENOMINATOR
    return parentBaseFee + maxBigint(change, 1n)
  }
  return parentBaseFee - (parentBaseFee * (target - parent.gasUsed)) / target / BASE_FEE_CHANGE_DENOMINATOR
}

type BaseFeeInput = {
  readonly configuration: Pick<ChainConfiguration, 'zeroBaseFee' | 'fixedBaseFee'>
  /** The rules at the block after `parent`. */
  readonly rules: Pick<Rules, 'fork'>
  readonly parent: Header
  readonly parentRules: Pick<Rules, 'fork'>
  /** `baseFeePerGas` of the genesis block if it has one: the fee of the London block. */
  readonly genesisBaseFeePerGas: bigint | undefined
  /** The base fee of `fixedBaseFee` networks: the node's minimum gas price. */
  readonly minGasPrice: bigint
}

/**
 * The base fee of the block after `parent` in wei per gas; undefined before London. Besu's `zeroBaseFee` and `fixedBaseFee`
 * replace the EIP-1559 formula.
 */
export const nextBaseFee = (input: BaseFeeInput): bigint | undefined => {
  if (!forkIsAtLeast(input.rules.fork, 'london')) return undefined
  if (input.configuration.zeroBaseFee) return 0n
  if (input.configuration.fixedBaseFee) return input.minGasPrice
  if (!forkIsAtLeast(input.parentRules.fork, 'london'))
    return input.genesisBaseFeePerGas ?? INITIAL_BASE_FEE_PER_GAS
  return baseFeeAfter(input.parent)
}

/** As `nextBaseFee`, with the rules of the parent by its position on the chain. */
export const nextBaseFeeOn = (
  chain: {
    readonly configuration: ChainConfiguration
    readonly genesis: { readonly header: Pick<Header, 'baseFeePerGas'> }
  },
  rules: Pick<Rules, 'fork'>,
  parent: Header,
  minGasPrice: bigint,
): bigint | undefined =>
  nextBaseFee({
    configuration: chain.configuration,
    rules,
    parent,
    parentRules: rulesAt(chain.configuration, parent.number, parent.timestamp, parent.difficulty),
    genesisBaseFeePerGas: chain.genesis.header.baseFeePerGas,
    minGasPrice,
  })
