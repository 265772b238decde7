import { type Bits, bitsOf, eachBit } from '../local/bits.ts'
import type { Facts } from '../local/locals.ts'
import type { Message, MessageKind } from '../world/actions.ts'
import { INVALID } from '../world/blocks.ts'
import { beginningOf, type Chain, chainOfDigest, lengthOf } from '../world/chain.ts'
import type { World } from '../world/world.ts'
import type { Forge, Knowledge } from './knowledge.ts'
import { forgePositions, forgeRequests } from './positions.ts'
import { forgeProposals } from './proposals.ts'
import { forgeRoundChanges } from './roundChanges.ts'
import { forgeCommits, forgePrepares } from './votes.ts'

/** A kind of message that the machine takes does not type check until the adversary can make it. */
export const FORGERIES = {
  proposal: forgeProposals,
  prepare: forgePrepares,
  commit: forgeCommits,
  'round-change': forgeRoundChanges,
  position: forgePositions,
  request: forgeRequests,
} satisfies Readonly<Record<MessageKind, Forge>>

/** What the Byzantine members can say, to whom they want. They share their keys and know all that was sent. */
export type Adversary = {
  /** Messages that they can make when honest validators have sent these and are in these states. */
  menu(sent: Bits, facts: readonly Facts[]): Bits
}

/** The names of the blocks that they propose. Those of one author are alike: it uses them in their order. */
const valueNames = ({ scope }: World, mentions: boolean): readonly string[] => {
  const authors = scope.byzantine.length
  const valid = Array.from({ length: (mentions ? scope.values : 1) * authors }, (_, index) => `B${index}`)
  const invalid = scope.odd ? scope.byzantine.map((_, index) => `${INVALID}${index}`) : []
  return [...valid, ...invalid]
}

const knowledgeOf = (
  world: World,
  chain: Chain,
  messages: readonly Message[],
  mentions: boolean,
): Knowledge => {
  const { scope, members, blocks } = world
  const sequence = BigInt(lengthOf(chain) + 1)
  const heard = messages.filter(({ height, decoded }) => BigInt(height) === sequence && decoded !== undefined)
  const own = valueNames(world, mentions).map(name => {
    const author = scope.byzantine[Number(name.slice(1)) % scope.byzantine.length] as number
    blocks.make(name, members.addresses[author] as Uint8Array, chain)
    return chain === '' ? name : `${chain}>${name}`
  })
  const proposed = heard.flatMap(({ kind, digest }) => (kind === 'proposal' ? [chainOfDigest(digest)] : []))
  return {
    world,
    chain,
    sequence,
    heard,
    blocks: own,
    known: [...new Set([...own, ...proposed])],
    rounds: Array.from({ length: scope.rounds }, (_, round) => round),
    oddRounds: scope.odd ? [0] : [],
  }
}

/** The messages that decide what can be made: a vote that nobody can use in a certificate does not. */
const isIngredient = ({ kind }: Message): boolean =>
  kind === 'proposal' || kind === 'prepare' || kind === 'round-change'

/** Menus kept in memory; they are cheap to make again. */
const MENUS_MAX = 20_000

export const createAdversary = (world: World): Adversary => {
  const { scope, actions } = world
  const menus = new Map<string, Bits>()
  const make = (ingredients: readonly number[], chains: readonly Chain[], mentions: boolean): Bits => {
    const messages = ingredients.flatMap(id => {
      const action = actions.all[id]
      return action?.kind === 'hear' ? [action.message] : []
    })
    const made = chains.flatMap(chain => {
      const knowledge = knowledgeOf(world, chain, messages, mentions)
      return Object.values(FORGERIES).flatMap(forge => forge(knowledge))
    })
    return bitsOf(made.map(({ id }) => id))
  }
  return {
    menu: (sent, facts) => {
      if (scope.byzantine.length === 0) return new Uint32Array(0)
      const ingredients: number[] = []
      eachBit(sent, id => {
        const action = actions.all[id]
        if (action?.kind === 'hear' && isIngredient(action.message)) ingredients.push(id)
      })
      const mentions = facts.some(fact => fact.mentions)
      // Heights that somebody still decides.
      const chains = [
        ...new Set(
          facts.flatMap(({ chain }) =>
            Array.from({ length: Math.min(lengthOf(chain), scope.heights - 1) + 1 }, (_, length) =>
              beginningOf(chain, length),
            ),
          ),
        ),
      ]
      const key = `${mentions} ${chains.join(' ')} ${ingredients.join(',')}`
      const known = menus.get(key)
      if (known !== undefined) return known
      const bits = make(ingredients, chains, mentions)
      if (menus.size >= MENUS_MAX) menus.clear()
      menus.set(key, bits)
      return bits
    },
  }
}
