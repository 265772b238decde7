import { equalBytes, type Hash } from '../../bytes/bytes.ts'
import type { Block } from '../../block/block.ts'
import type { Chain } from '../chain.ts'
import { encodeBlock } from '../../block/codec/block.ts'
import { blockHash } from '../../block/codec/blockHash.ts'
import { DecodeError } from '../../block/codec/error.ts'
import { rawHeaderHash } from '../../block/codec/header.ts'
import { InvalidBlock, type RuleName } from '../rules/invalidBlock.ts'

/** A refused block, and the rule that it violates. */
export type BadBlock = {
  readonly block: Block
  readonly hash: Hash
  readonly rlp: Uint8Array
  readonly rule: RuleName
  /** The expected and the found value. */
  readonly reason: string
}

/** The most recently refused blocks, newest last. */
export type BadBlocks = {
  add(block: Block, hash: Hash, error: InvalidBlock): void
  readonly list: () => readonly BadBlock[]
}

/** Most refused blocks that are kept: any peer can send invalid ones. */
export const BAD_BLOCKS_MAX = 64
/** Most bytes of all refused blocks that are kept. */
export const BAD_BLOCKS_BYTES_MAX = 16 * 1024 * 1024

/** Violations that do not make a block bad: it may be valid later, or on another parent. */
const TEMPORARY: ReadonlySet<RuleName> = new Set(['ancestry', 'future-timestamp'])

export const createBadBlocks = (): BadBlocks => {
  const blocks: BadBlock[] = []
  let bytes = 0
  return {
    add: (block, hash, error) => {
      if (TEMPORARY.has(error.rule) || blocks.some(known => equalBytes(known.hash, hash))) return
      const rlp = encodeBlock(block)
      blocks.push({ block, hash, rlp, rule: error.rule, reason: error.message })
      bytes += rlp.length
      while (blocks.length > BAD_BLOCKS_MAX || bytes > BAD_BLOCKS_BYTES_MAX)
        bytes -= (blocks.shift() as BadBlock).rlp.length
    },
    list: () => blocks,
  }
}

/** The on-chain hash; the hash of the unmodified header if its extraData cannot be decoded. */
const hashOf = ({ configuration }: Chain, { header }: Block): Hash => {
  try {
    return blockHash(configuration.consensus, header)
  } catch (error) {
    if (error instanceof DecodeError) return rawHeaderHash(header)
    throw error
  }
}

/** The chain, which also keeps each block that it refuses to import or verify. */
export const keepBadBlocks = (chain: Chain, badBlocks: BadBlocks): Chain => {
  const keeping = async <T>(block: Block, work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      if (error instanceof InvalidBlock) badBlocks.add(block, hashOf(chain, block), error)
      throw error
    }
  }
  return {
    ...chain,
    importBlock: (block, options) => keeping(block, chain.importBlock(block, options)),
    verifyBlock: (block, options) => keeping(block, chain.verifyBlock(block, options)),
  }
}
