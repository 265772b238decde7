import type { Address, Hash } from '../../../core/bytes/bytes.ts'
import { toBareHex } from '../../../core/bytes/hex.ts'
import type { Block } from '../../../core/block/block.ts'
import { qbftBlockHash, qbftSealHash } from '../../../core/block/codec/blockHash.ts'
import { encodeExtraData } from '../../../core/block/codec/extraData.ts'
import { QBFT_MIX_HASH } from '../../../core/block/index.ts'
import { EMPTY_LIST_HASH, EMPTY_TRIE_ROOT } from '../../../core/crypto/constants.ts'
import { withRound } from '../../../core/qbft/codec/roundOfBlock.ts'
import type { Chain } from './chain.ts'

/** Above this round, digests have no name. */
const ROUNDS_NAMED = 12

/** First letter of the name of a block that fails its verification. */
export const INVALID = 'X'

/** Blocks by name. Two of one name and chain are the same block, whoever builds them. */
export type Blocks = {
  /** The block of this name on a chain; the name is all that distinguishes two of one coinbase. */
  make(name: string, coinbase: Address, chain: Chain): Block
  /** By its name with that of its chain. */
  named(chain: Chain): Block | undefined
  chainOf(hash: Hash): Chain
  /** `value@round` of the digest in a vote; '-' for none. */
  digestName(digest: Hash | undefined): string
}

const blockOn = (parent: Block | undefined, name: string, coinbase: Address): Block => {
  const vanity = new Uint8Array(32)
  vanity.set(new TextEncoder().encode(name).subarray(0, 32))
  return {
    header: {
      parentHash: parent === undefined ? new Uint8Array(32) : qbftBlockHash(parent.header),
      ommersHash: EMPTY_LIST_HASH,
      coinbase,
      stateRoot: EMPTY_TRIE_ROOT,
      transactionsRoot: EMPTY_TRIE_ROOT,
      receiptsRoot: EMPTY_TRIE_ROOT,
      logsBloom: new Uint8Array(256),
      difficulty: 1n,
      number: (parent?.header.number ?? 0n) + 1n,
      gasLimit: 30_000_000n,
      gasUsed: 0n,
      timestamp: (parent?.header.timestamp ?? 1_000_000n) + 1n,
      extraData: encodeExtraData({ vanity, validators: [], vote: undefined, round: 0, seals: [] }),
      mixHash: QBFT_MIX_HASH,
      nonce: new Uint8Array(8),
      baseFeePerGas: 7n,
      withdrawalsRoot: undefined,
      blobGasUsed: undefined,
      excessBlobGas: undefined,
      parentBeaconBlockRoot: undefined,
      requestsHash: undefined,
    },
    transactions: [],
    ommers: [],
    withdrawals: undefined,
  }
}

export const createBlocks = (): Blocks => {
  const blocks = new Map<Chain, Block>()
  const chains = new Map<string, Chain>()
  const digests = new Map<string, string>()
  return {
    make: (name, coinbase, chain) => {
      const full = chain === '' ? name : `${chain}>${name}`
      const known = blocks.get(full)
      if (known !== undefined) return known
      const block = blockOn(blocks.get(chain), name, coinbase)
      blocks.set(full, block)
      chains.set(toBareHex(qbftBlockHash(block.header)), full)
      for (let round = 0; round < ROUNDS_NAMED; round++)
        digests.set(toBareHex(qbftSealHash(withRound(block, round).header)), `${full}@${round}`)
      return block
    },
    named: chain => blocks.get(chain),
    chainOf: hash => chains.get(toBareHex(hash)) ?? `?${toBareHex(hash).slice(0, 6)}`,
    digestName: digest =>
      digest === undefined ? '-' : (digests.get(toBareHex(digest)) ?? `?${toBareHex(digest).slice(0, 6)}`),
  }
}
