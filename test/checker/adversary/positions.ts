import { encodePosition, POSITION_REQUEST } from '../../../core/qbft/codec/position.ts'
import { FAR_ROUND, type Forge } from './knowledge.ts'

/** A height that no honest validator comes to. */
const FAR_HEIGHT = 1_000_000n

/**
 * Positions below the height, in each of its rounds, before its first one, in a far one, and at a far height. Only a
 * restarted validator hears them. The round of another height than its own decides nothing.
 */
export const forgePositions: Forge = ({ world, sequence, chain, rounds }) => {
  const { scope, actions } = world
  if (scope.crashes === 0) return []
  const claims = [
    { sequence: FAR_HEIGHT, round: 0 },
    { sequence: sequence - 1n, round: 0 },
    ...[-1, ...rounds, FAR_ROUND].map(round => ({ sequence, round })),
  ]
  return scope.byzantine.flatMap(author =>
    claims.map(claim => actions.message(encodePosition(claim), author, chain)),
  )
}

/** A request of a Byzantine member, which shows it only what it can see anyway. */
export const forgeRequests: Forge = ({ world, chain }) =>
  world.scope.byzantine.map(author => world.actions.message(POSITION_REQUEST, author, chain))
