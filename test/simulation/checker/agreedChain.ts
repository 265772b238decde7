import { type Address, equalBytes, type Hash } from '../../../core/bytes/bytes.ts'
import { toHex } from '../../../core/bytes/hex.ts'
import type { Block } from '../../../core/block/block.ts'
import { qbftBlockHash } from '../../../core/block/codec/blockHash.ts'
import { decodeExtraData } from '../../../core/block/codec/extraData.ts'
import { tallyAfter, votingBlock } from '../../../core/validators/tally.ts'
import { newTally, type VoteTally } from '../../../core/validators/votes.ts'
import type { SimulatedGenesis } from '../chain/genesis.ts'

type Agreed = {
  readonly hash: Hash
  readonly coinbase: Address
  /** That govern the next block. */
  readonly validatorsAfter: readonly Address[]
}

/** The one chain that all honest nodes have a beginning of ("consistency"). */
export type AgreedChain = {
  /** Why the block cannot stand there. */
  add(block: Block): string | undefined
  /** Why it cannot stand where another one does; undefined also where none does. */
  conflict(block: Block): string | undefined
  at(number: bigint): Agreed | undefined
  /** Of the highest block. */
  height(): bigint
}

type Entry = Agreed & { readonly tally: VoteTally }

export const createAgreedChain = ({ block: genesis, consensus }: SimulatedGenesis): AgreedChain => {
  const entry = ({ header }: Block, tally: VoteTally): Entry => ({
    hash: qbftBlockHash(header),
    coinbase: header.coinbase,
    validatorsAfter: tally.validators,
    tally,
  })
  const entries: Entry[] = [entry(genesis, newTally(decodeExtraData(genesis.header.extraData).validators))]

  const conflict = ({ header }: Block): string | undefined => {
    const there = entries[Number(header.number)]
    if (there === undefined) return undefined
    const hash = qbftBlockHash(header)
    return equalBytes(there.hash, hash)
      ? undefined
      : `block ${header.number} is ${toHex(hash)} here and ${toHex(there.hash)} elsewhere`
  }

  return {
    conflict,
    add: block => {
      const { header } = block
      const number = Number(header.number)
      if (number < entries.length) return conflict(block)
      const before = entries[number - 1]
      if (before === undefined) return `block ${number} without the one before it`
      if (!equalBytes(before.hash, header.parentHash)) return `block ${number} stands on another one`
      entries.push(entry(block, tallyAfter(consensus, before.tally, votingBlock(header))))
      return undefined
    },
    at: number => entries[Number(number)],
    height: () => BigInt(entries.length - 1),
  }
}
