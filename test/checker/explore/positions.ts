import { encodePosition, POSITION_CODES, POSITION_REQUEST } from '../../../core/qbft/codec/position.ts'
import type { WireMessage } from '../../../core/qbft/message.ts'
import { transition } from '../../../core/qbft/machine.ts'
import { type Bits, bitsOf, noBits } from '../local/bits.ts'
import type { Locals } from '../local/locals.ts'
import { environmentOf } from '../local/perform.ts'
import type { World } from '../world/world.ts'

/**
 * Answers to the position requests of a restarted validator. A request may come at any time and its answer be late, so that
 * each position which a validator had since the restart can be heard; lists of them are numbered.
 */
export type Positions = {
  /** Id of the message that the validator would answer with now. */
  of(local: number): number
  /** The list of the present position alone. */
  begun(local: number): number
  /** The list with the position of this state. */
  extended(list: number, local: number): number
  messages(list: number): Bits
}

export const createPositions = (world: World, locals: Locals): Positions => {
  const { scope, members } = world
  const known = new Map<number, number>()
  const lists: (readonly number[])[] = [[]]
  const bits: Bits[] = [noBits]
  const numbers = new Map<string, number>([['', 0]])

  const answerOf = (local: number): WireMessage => {
    const { state, node, isDone, nowMs } = locals.state(local)
    if (isDone) return encodePosition({ sequence: BigInt(scope.heights + 1), round: -1 })
    const peer = members.addresses[scope.victim] as Uint8Array
    const request = { kind: 'message', message: POSITION_REQUEST, peer } as const
    const { effects } = transition(environmentOf(world, node), state, request, nowMs)
    const answer = effects.findLast(
      effect => effect.kind === 'inform' && effect.message.code === POSITION_CODES.position,
    )
    return answer?.kind === 'inform' ? answer.message : encodePosition({ sequence: 0n, round: -1 })
  }
  const of = (local: number): number => {
    const before = known.get(local)
    if (before !== undefined) return before
    const { id } = world.actions.message(answerOf(local), locals.facts(local).node, '')
    known.set(local, id)
    return id
  }
  const numberOf = (list: readonly number[]): number => {
    const key = list.join(',')
    const before = numbers.get(key)
    if (before !== undefined) return before
    lists.push(list)
    bits.push(bitsOf(list))
    numbers.set(key, lists.length - 1)
    return lists.length - 1
  }
  return {
    of,
    begun: local => numberOf([of(local)]),
    extended: (list, local) => {
      const before = lists[list] as readonly number[]
      const position = of(local)
      return before.includes(position) ? list : numberOf([...before, position])
    },
    messages: list => bits[list] as Bits,
  }
}
