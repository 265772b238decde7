import type { Facts } from '../local/locals.ts'
import { beginningOf, type Chain, lengthOf } from '../world/chain.ts'
import type { World } from '../world/world.ts'

/** Blocks that a validator can import without deciding them itself. */
export type Downloads = {
  of(all: readonly Facts[], own: Facts): readonly number[]
}

/** Chains that a quorum can have signed with the commits of these validators and those of the Byzantine members. */
export const signedChains = (world: World, all: readonly Facts[]): readonly Chain[] => {
  const counts = new Map<string, number>()
  for (const { commits } of all)
    for (const commit of commits) counts.set(commit, (counts.get(commit) ?? 0) + 1)
  const chains = new Set<Chain>()
  for (const [commit, count] of counts) {
    const [chain] = commit.split('@') as [Chain]
    const parent = beginningOf(chain, lengthOf(chain) - 1)
    const members = world.headOf(parent).validators.map(address => world.members.indexOf(address))
    const byzantine = world.scope.byzantine.filter(index => members.includes(index)).length
    if (count + byzantine >= world.quorumAt(parent)) chains.add(chain)
  }
  return [...chains]
}

/**
 * A block that a quorum signed can come from anybody, as one that is downloaded. Without, validators that miss commits stay
 * behind, which is of no interest at the last height.
 */
export const createDownloads = (world: World): Downloads => ({
  of: (all, own) => {
    if (own.isDone || world.scope.heights === 1) return []
    const length = lengthOf(own.chain) + 1
    const decided = all.flatMap(({ chain }) =>
      lengthOf(chain) >= length ? [beginningOf(chain, length)] : [],
    )
    const chains = new Set([
      ...decided,
      ...signedChains(world, all).filter(chain => lengthOf(chain) === length),
    ])
    return [...chains]
      .filter(chain => beginningOf(chain, length - 1) === own.chain)
      .map(chain => world.actions.download(chain).id)
  },
})
