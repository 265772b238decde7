import type { Address, Hash } from '../../../core/bytes/bytes.ts'
import type { Block } from '../../../core/block/block.ts'
import { qbftBlockHash } from '../../../core/block/codec/blockHash.ts'
import { tallyAfter, votingBlock } from '../../../core/validators/tally.ts'
import { newTally, type VoteTally } from '../../../core/validators/votes.ts'
import type { SimulatedGenesis } from './genesis.ts'
import { checkSealed, type ParentBlock } from './rules.ts'
import { decodeExtraData } from '../../../core/block/codec/extraData.ts'

/** One node's chain: real headers, blocks of a few transactions that nobody executes, votes that count. */
export type SimulatedChain = {
  head(): ParentBlock
  /** After the head, governing the next block. */
  tally(): VoteTally
  block(number: bigint): Block | undefined
  /** The set that governs the block, up to the one after the head. */
  validators(number: bigint): readonly Address[]
  hash(number: bigint): Hash
  /** @throws InvalidBlock when it does not stand on the head, sealed by a quorum, but for its time */
  append(block: Block): void
  /** As a machine that stopped before its last block was on the disk. */
  removeHead(): void
}

type Entry = { readonly block: Block; readonly hash: Hash; readonly tally: VoteTally }

export const createChain = (genesis: SimulatedGenesis): SimulatedChain => {
  const { header } = genesis.block
  const entries: Entry[] = [
    {
      block: genesis.block,
      hash: qbftBlockHash(header),
      tally: newTally(decodeExtraData(header.extraData).validators),
    },
  ]
  const at = (number: bigint): Entry => {
    const entry = entries[Number(number)]
    if (entry === undefined) throw new RangeError(`block ${number} is not on the chain`)
    return entry
  }
  const last = (): Entry => at(BigInt(entries.length - 1))
  const head = (): ParentBlock => ({
    header: last().block.header,
    hash: last().hash,
    totalDifficulty: BigInt(entries.length),
  })
  return {
    head,
    tally: () => last().tally,
    block: number => entries[Number(number)]?.block,
    validators: number => at(number - 1n).tally.validators,
    hash: number => at(number).hash,
    append: block => {
      const { tally } = last()
      checkSealed(genesis, head(), tally.validators, block, Number.MAX_SAFE_INTEGER)
      entries.push({
        block,
        hash: qbftBlockHash(block.header),
        tally: tallyAfter(genesis.consensus, tally, votingBlock(block.header)),
      })
    },
    removeHead: () => void entries.pop(),
  }
}
