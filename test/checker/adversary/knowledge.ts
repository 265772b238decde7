import type { Message } from '../world/actions.ts'
import type { Chain } from '../world/chain.ts'
import type { World } from '../world/world.ts'

/** A round above all others, which no honest validator comes to. */
export const FAR_ROUND = 1000

/** What the Byzantine members can make messages from, for one height. */
export type Knowledge = {
  readonly world: World
  /** The chain below the height. */
  readonly chain: Chain
  readonly sequence: bigint
  /** Messages of honest validators for the height. */
  readonly heard: readonly Message[]
  /** Chains that end in the blocks which they can propose. */
  readonly blocks: readonly Chain[]
  /** Those, and the blocks that honest validators proposed. */
  readonly known: readonly Chain[]
  /** Rounds of the height, ascending. */
  readonly rounds: readonly number[]
  /** Rounds that the block of a later round may carry in its extraData beside its own. */
  readonly oddRounds: readonly number[]
}

/** Messages of one kind that the Byzantine members can make: one of each that the machine could treat differently. */
export type Forge = (knowledge: Knowledge) => readonly Message[]
