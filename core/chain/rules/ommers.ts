import { equalBytes, type Hash } from '../../bytes/bytes.ts'
import { toBareHex, toHex } from '../../bytes/hex.ts'
import type { ChainConfiguration } from '../../genesis/configuration.ts'
import { rulesAt } from '../../genesis/forkSchedule.ts'
import type { BlockRecord } from '../../store/store.ts'
import type { Block } from '../../block/block.ts'
import { rawHeaderHash } from '../../block/codec/header.ts'
import type { Header } from '../../block/header.ts'
import type { HeaderContext } from './context.ts'
import { OMMER_HEADER_RULES } from './ethash.ts'
import { InvalidBlock } from './invalidBlock.ts'

/** The parent of an ommer is at least two and at most this many generations before the block. */
export const OMMER_GENERATIONS_MAX = 7

type OmmersContext = {
  readonly configuration: ChainConfiguration
  readonly block: Block
  /** The OMMER_GENERATIONS_MAX blocks before this one, parent first; fewer on a shorter chain. */
  readonly ancestors: readonly BlockRecord[]
  readonly genesisBaseFeePerGas: bigint | undefined
  readonly nowMs: number
}

const invalidOmmer = (header: Header, ommer: Header, cause: unknown): unknown =>
  cause instanceof InvalidBlock
    ? new InvalidBlock(
        header,
        'ommer-header',
        `an ommer (block ${ommer.number}) with ${cause.expected}`,
        `${cause.found} (${cause.rule})`,
        { cause },
      )
    : cause

/** An ommer is a header that would be valid on the chain, except its seal. */
const checkHeader = (context: OmmersContext, ommer: Header, parent: BlockRecord): void => {
  const { configuration } = context
  const above = parent.block.header
  const headerContext: HeaderContext = {
    configuration,
    rules: rulesAt(configuration, ommer.number, ommer.timestamp, ommer.difficulty),
    header: ommer,
    parent: { header: above, hash: parent.hash, totalDifficulty: parent.totalDifficulty },
    parentRules: rulesAt(configuration, above.number, above.timestamp, above.difficulty),
    parentHasOmmers: parent.block.ommers.length > 0,
    genesisBaseFeePerGas: context.genesisBaseFeePerGas,
    nowMs: context.nowMs,
  }
  try {
    for (const rule of OMMER_HEADER_RULES) rule(headerContext)
  } catch (cause) {
    throw invalidOmmer(context.block.header, ommer, cause)
  }
}

/**
 * Yellow Paper 11.1, for proof of work: each ommer is a valid header whose parent is an ancestor two to seven generations
 * back. It is not itself an ancestor, and was not included as an ommer before.
 * @throws InvalidBlock
 */
export const checkOmmers = (context: OmmersContext): void => {
  const { block, ancestors } = context
  const used = new Set<string>()
  for (const ancestor of ancestors)
    for (const ommer of ancestor.block.ommers) used.add(toBareHex(rawHeaderHash(ommer)))
  for (const ommer of block.ommers) {
    const hash: Hash = rawHeaderHash(ommer)
    const name = toBareHex(hash)
    if (used.has(name))
      throw new InvalidBlock(block.header, 'ommer-duplicate', 'each ommer once', toHex(hash))
    used.add(name)
    if (ancestors.some(ancestor => equalBytes(ancestor.hash, hash)))
      throw new InvalidBlock(block.header, 'ommer-is-ancestor', 'no ancestor as ommer', toHex(hash))
    const parent = ancestors.slice(1).find(ancestor => equalBytes(ancestor.hash, ommer.parentHash))
    if (parent === undefined)
      throw new InvalidBlock(
        block.header,
        'ommer-depth',
        `an ommer on an ancestor 2 to ${OMMER_GENERATIONS_MAX} generations back`,
        `one on ${toHex(ommer.parentHash)}`,
      )
    checkHeader(context, ommer, parent)
  }
}
