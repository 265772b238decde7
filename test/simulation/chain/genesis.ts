import { toHex, toQuantity } from '../../../core/bytes/hex.ts'
import type { Address } from '../../../core/bytes/bytes.ts'
import type { Block } from '../../../core/block/block.ts'
import { QBFT_MIX_HASH } from '../../../core/block/codec/blockHash.ts'
import { encodeExtraData } from '../../../core/block/codec/extraData.ts'
import { EMPTY_TRIE_ROOT } from '../../../core/crypto/constants.ts'
import type { ChainConfiguration } from '../../../core/genesis/configuration.ts'
import { genesisBlock } from '../../../core/genesis/genesisBlock.ts'
import { parseGenesis } from '../../../core/genesis/parse/parse.ts'
import type { QbftConsensus } from '../../../core/genesis/qbftSchedule.ts'
import type { Settings } from '../settings.ts'

/** When every simulation begins, in milliseconds since 1970. */
export const EPOCH_MS = 1_700_000_000_000

/** A block that was made before the simulation began. */
const GENESIS_AGE_SECONDS = 5

export type SimulatedGenesis = {
  readonly configuration: ChainConfiguration
  readonly consensus: QbftConsensus
  readonly block: Block
}

/** From a genesis file, as a node has it. */
export const simulatedGenesis = (settings: Settings, validators: readonly Address[]): SimulatedGenesis => {
  const extraData = encodeExtraData({
    vanity: new Uint8Array(32),
    validators,
    vote: undefined,
    round: 0,
    seals: [],
  })
  const genesis = parseGenesis({
    config: {
      chainId: 1337,
      berlinBlock: 0,
      qbft: {
        blockperiodseconds: settings.blockPeriodSeconds,
        xblockperiodmilliseconds: settings.blockPeriodMs,
        xemptyblockperiodseconds: settings.emptyBlockPeriodSeconds,
        epochlength: settings.epochLength,
        requesttimeoutseconds: settings.requestTimeoutMs / 1000,
      },
    },
    difficulty: '0x1',
    gasLimit: '0x1c9c380',
    timestamp: toQuantity(EPOCH_MS / 1000 - GENESIS_AGE_SECONDS),
    mixHash: toHex(QBFT_MIX_HASH),
    extraData: toHex(extraData),
    alloc: {},
  })
  const { configuration } = genesis
  if (configuration.consensus.kind !== 'qbft') throw new Error('the genesis file is QBFT’s')
  return {
    configuration,
    consensus: configuration.consensus,
    block: genesisBlock(genesis, EMPTY_TRIE_ROOT),
  }
}
