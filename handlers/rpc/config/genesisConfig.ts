import { CODE_SIZE_MAX, EVM_STACK_ITEMS } from '../../../core/genesis/evmLimits.ts'
import { toHex } from '../../../core/bytes/hex.ts'
import type { ChainConfiguration, Consensus, QbftParameters } from '../../../core/genesis/configuration.ts'
import { qbftByNumber } from '../../../core/genesis/qbftSchedule.ts'
import { forkKeys } from '../../../core/genesis/parse/forks.ts'

type Json = Record<string, unknown>

const parametersOf = (parameters: QbftParameters): Json => {
  const { blockReward, miningBeneficiary, perTxGasLimit, validatorSelection } = parameters
  return {
    epochLength: Number(parameters.epochLength),
    blockPeriodSeconds: parameters.blockPeriodSeconds,
    requestTimeoutSeconds: parameters.requestTimeoutSeconds,
    ...(blockReward === 0n ? {} : { blockReward: blockReward.toString() }),
    ...(miningBeneficiary === undefined ? {} : { miningBeneficiary: toHex(miningBeneficiary) }),
    ...(perTxGasLimit === undefined ? {} : { transactionGasLimit: Number(perTxGasLimit) }),
    ...(validatorSelection.mode === 'contract'
      ? { validatorContractAddress: toHex(validatorSelection.address) }
      : {}),
  }
}

const consensusOf = (consensus: Consensus): Json => {
  if (consensus.kind === 'qbft') {
    const { startBlock, parameters } = consensus
    return startBlock === 0n
      ? { qbft: parametersOf(parameters) }
      : {
          ibft2: parametersOf(parameters),
          qbft: { ...parametersOf(qbftByNumber(consensus, startBlock)), startBlock: Number(startBlock) },
        }
  }
  const { terminalTotalDifficulty } = consensus
  return {
    ethash: {},
    ...(terminalTotalDifficulty === undefined
      ? {}
      : { terminalTotalDifficulty: Number(terminalTotalDifficulty) }),
  }
}

/**
 * The genesis file's `config` as Besu returns it in admin_nodeInfo: the rules of the chain under their standard names. Omits
 * entries that are not set, transitions, and settings of the single node.
 */
export const genesisConfig = (configuration: ChainConfiguration): Json => {
  const { forks, daoForkBlock, zeroBaseFee, fixedBaseFee, codeSizeMax, stackItemsMax } = configuration
  const keys = forkKeys(forks)
  const activations = forks.flatMap(({ fork, at }, index) =>
    fork === 'frontier' ? [] : [[keys[index], Number(at.kind === 'block' ? at.number : at.timestamp)]],
  )
  return {
    chainId: Number(configuration.chainId),
    ...(Object.fromEntries(activations) as Json),
    ...(daoForkBlock === undefined ? {} : { daoForkBlock: Number(daoForkBlock) }),
    ...(zeroBaseFee ? { zeroBaseFee } : {}),
    ...(fixedBaseFee ? { fixedBaseFee } : {}),
    ...(codeSizeMax === CODE_SIZE_MAX ? {} : { contractSizeLimit: codeSizeMax }),
    ...(stackItemsMax === EVM_STACK_ITEMS ? {} : { evmStackSize: stackItemsMax }),
    ...consensusOf(configuration.consensus),
  }
}
