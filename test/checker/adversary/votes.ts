import type { Message } from '../world/actions.ts'
import type { Forge, Knowledge } from './knowledge.ts'
import { blockAt, named, signCommit, signPrepare } from './signing.ts'

/** Calls `forge` for each author, round and form of each known block. */
const eachVote = (
  { world, known, rounds, oddRounds }: Knowledge,
  forge: (author: number, round: number, chain: string, carried: number) => readonly Message[],
): readonly Message[] =>
  world.scope.byzantine.flatMap(author =>
    rounds.flatMap(round =>
      known.flatMap(chain =>
        [...new Set([round, ...oddRounds])].flatMap(carried => forge(author, round, chain, carried)),
      ),
    ),
  )

export const forgePrepares: Forge = knowledge =>
  eachVote(knowledge, (author, round, chain, carried) => {
    const signed = signPrepare(knowledge, author, round, blockAt(knowledge.world, chain, carried))
    return [named(knowledge, author, { kind: 'prepare', signed })]
  })

export const forgeCommits: Forge = knowledge =>
  eachVote(knowledge, (author, round, chain, carried) =>
    [true, false].map(isSealed => {
      const block = blockAt(knowledge.world, chain, carried)
      return named(knowledge, author, signCommit(knowledge, author, round, block, isSealed))
    }),
  )
