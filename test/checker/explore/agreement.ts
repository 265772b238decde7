import type { Facts } from '../local/locals.ts'
import { beginningOf, type Chain, lengthOf } from '../world/chain.ts'
import type { World } from '../world/world.ts'
import { signedChains } from './downloads.ts'

/** Two different blocks of one height that are final: imported by somebody, or signed by a possible quorum. */
export const disagreementIn = (world: World, all: readonly Facts[]): string | undefined => {
  const final = new Map<number, Chain>()
  for (const chain of [...all.map(facts => facts.chain), ...signedChains(world, all)])
    for (let length = 1; length <= lengthOf(chain); length++) {
      const block = beginningOf(chain, length)
      const before = final.get(length)
      if (before !== undefined && before !== block)
        return `two blocks at height ${length}: ${before} and ${block}`
      final.set(length, block)
    }
  return undefined
}
