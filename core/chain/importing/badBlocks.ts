import { equalBytes, type Hash } from '../../bytes/bytes.ts'
import type { Block } from '../../block/block.ts'
import type { Chain } from '../chain.ts'
import { encodeBlock } from '../../block/codec/block.ts'
import { blockHash } from '../../block/codec/blockHash.ts'
import { DecodeError } from '../../block/codec/error.ts'
import { rawHeaderHash } from '../../block/codec/header.ts'
import { InvalidBlock, type RuleName } from '../rules/invalidBlock.ts'

/** A block that was not taken, and the rule it breaks. */
export type BadBlock = {
  readonly block: Block
  readonly hash: Hash
  readonly rlp: Uint8Array
  readonly rule: RuleName
  /** What by the rule the block should say, and what it says. */
  readonly reason: string
}

/** The blocks refused last, the newest last. */
export type BadBlocks = {
  add(block: Block, hash: Hash, error: InvalidBlock): void
  readonly list: () => readonly BadBlock[]
}

/** Anyone who is a peer can send such blocks: so many are kept, */
export const BAD_BLOCKS_MAX = 64
/** and so many bytes of them in all. */
export const BAD_BLOCKS_BYTES_MAX = 16 * 1024 * 1024

/** A block in its place or time may stand yet; nothing is wrong with it. */
const MAY_STAND_YET: ReadonlySet<RuleName> = new Set(['ancestry', 'future-timestamp'])

export const createBadBlocks = (): BadBlocks => {
  const blocks: BadBlock[] = []
  let bytes = 0
  return {
    add: (block, hash, error) => {
      if (MAY_STAND_YET.has(error.rule) || blocks.some(known => equalBytes(known.hash, hash))) return
      const rlp = encodeBlock(block)
      blocks.push({ block, hash, rlp, rule: error.rule, reason: error.message })
      bytes += rlp.length
      while (blocks.length > BAD_BLOCKS_MAX || bytes > BAD_BLOCKS_BYTES_MAX)
        bytes -= (blocks.shift() as BadBlock).rlp.length
    },
    list: () => blocks,
  }
}

/** Of a header without readable extraData that of the header as it stands: it has no other. */
const hashOf = ({ configuration }: Chain, { header }: Block): Hash => {
  try {
    return blockHash(configuration.consensus, header)
  } catch (error) {
    if (error instanceof DecodeError) return rawHeaderHash(header)
    throw error
  }
}

/** The chain, with every block that it refuses to import or to execute for others kept. */
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
