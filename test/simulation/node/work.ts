import type { Block } from '../../../core/block/block.ts'
import { InvalidBlock } from '../../../core/chain/rules/invalidBlock.ts'
import type { Effect } from '../../../core/qbft/effect.ts'
import { chooseVote } from '../../../core/validators/proposals.ts'
import { makeBlock } from '../chain/making.ts'
import { checkProposed, checkSealed } from '../chain/rules.ts'
import type { World } from '../world.ts'
import type { Node } from './node.ts'

type EffectOf<Kind extends Effect['kind']> = Extract<Effect, { readonly kind: Kind }>

/** What executes blocks on a node, beside its machine. */
export type Work = {
  build(effect: EffectOf<'build-block'>): void
  verify(effect: EffectOf<'verify-block'>): void
  import(effect: EffectOf<'import-block'>): void
}

/** As the product's node does: a proposal that is so early is judged when its second has come. */
const EARLY_MS_MAX = 10_000

export const createWork = (
  { genesis, scheduler, checker, count, settings }: World,
  node: Node,
  inThisLife: (run: () => void) => () => void,
): Work => {
  const { disk, clock, random, pool } = node
  let position = 0

  const isDue = ({ header }: Block): boolean => disk.chain.head().header.number + 1n === header.number

  const build = ({ sequence, round, timestamp }: EffectOf<'build-block'>): Block | undefined => {
    if (disk.chain.head().header.number + 1n !== sequence) return undefined
    if (random.chance(node.conditions().buildFails)) {
      count('blocks not built')
      return undefined
    }
    const chosen = chooseVote(node.votes(), disk.chain.tally(), node.address, position)
    position = chosen.position
    return makeBlock(genesis, disk.chain, {
      coinbase: node.address,
      round,
      timestamp,
      vote: chosen.vote,
      transactions: pool.take(),
      vanity: random.bytes(4),
    })
  }

  const verify = (effect: EffectOf<'verify-block'>): void => {
    const { block, hash } = effect
    if (!isDue(block)) return
    const { chain } = disk
    const nowMs = clock.nowMs()
    try {
      checkProposed(genesis, chain.head(), chain.validators(block.header.number), block, nowMs)
      node.put({ kind: 'block-verified', hash, invalid: undefined })
    } catch (error) {
      if (!(error instanceof InvalidBlock)) throw error
      const earlyMs = Number(block.header.timestamp) * 1000 - nowMs
      if (error.rule === 'future-timestamp' && earlyMs < EARLY_MS_MAX)
        scheduler.after(
          Math.max(earlyMs - 1000, 0) + 1,
          inThisLife(() => verify(effect)),
        )
      else node.put({ kind: 'block-verified', hash, invalid: error.message })
    }
  }

  const commit = ({ block, hash, isRecorded }: EffectOf<'import-block'>): void => {
    const { chain } = disk
    if (!isDue(block)) return
    try {
      checkSealed(
        genesis,
        chain.head(),
        chain.validators(block.header.number),
        block,
        Number.MAX_SAFE_INTEGER,
      )
      if (random.chance(node.conditions().importFails)) {
        count('imports failed')
        return node.put({ kind: 'import-failed', hash })
      }
    } catch (error) {
      if (!(error instanceof InvalidBlock)) throw error
      return node.put({ kind: 'import-failed', hash })
    }
    disk.putBlock(
      block,
      isRecorded ? settings.durable : 'now',
      random.between(...node.conditions().blockSyncMs),
      inThisLife(() => node.tellHead()),
    )
  }

  return {
    build: effect => {
      const answer = inThisLife(() => {
        const { sequence, round } = effect
        node.put({ kind: 'block-built', sequence, round, block: build(effect) })
      })
      scheduler.after(random.between(...node.conditions().buildMs), answer)
    },
    verify: effect =>
      scheduler.after(
        random.between(...node.conditions().verifyMs),
        inThisLife(() => verify(effect)),
      ),
    import: effect => {
      if (node.isHonest) checker.importing(node, effect.block)
      commit(effect)
    },
  }
}
