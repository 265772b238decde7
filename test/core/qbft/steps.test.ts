import { describe, expect, test } from 'bun:test'
import type { QbftMessage } from '../../../core/qbft/message.ts'
import type { Input } from '../../../core/qbft/input.ts'
import { transition, transitionSteps } from '../../../core/qbft/machine.ts'
import { initialState } from '../../../core/qbft/state.ts'
import { makeTransfer } from './support/blocks.ts'
import { givenNode } from './support/given.ts'
import { certificate, proposal, roundChange, wireOf } from './support/messages.ts'
import { environmentOf, headOf } from './support/node.ts'
import { at } from './support/keys.ts'

const TRANSACTIONS = Array.from({ length: 200 }, (_, nonce) => makeTransfer(nonce))
/** Of 200 transactions, with a pause after 32 each, and one between the hashes over all of the message. */
const PAUSES_MIN = 7

const given = () => {
  const { keys, block } = givenNode(4, 1)
  const environment = environmentOf(at(keys, 1))
  const inputs: readonly Input[] = [
    { kind: 'head', head: headOf(keys) },
    { kind: 'timer', timer: { kind: 'block', sequence: 1n }, transactionsWaiting: true },
  ]
  const state = inputs.reduce(
    (before, input) => transition(environment, before, input, 3_000).state,
    initialState(undefined),
  )
  const made = block(at(keys, 0), { transactions: TRANSACTIONS })
  return { keys, environment, state, made }
}

const inputOf = (from: Uint8Array, message: QbftMessage): Input => ({
  kind: 'message',
  message: wireOf(message),
  peer: from,
})

describe('given a message with a large block', () => {
  const { keys, environment, state, made } = given()
  const [proposer, , third] = keys
  if (proposer === undefined || third === undefined) throw new Error('four keys')
  const peers = [0, 2, 3].map(index => at(keys, index))

  test.each([
    ['a proposal', inputOf(proposer.address, proposal(proposer, made))],
    ['a round change', inputOf(third.address, roundChange(third, 1, certificate(peers, made)))],
    ['the own proposal that comes back', inputOf(third.address, proposal(at(keys, 1), made))],
  ])('when %s is taken in steps then it pauses amid the block, and the outcome is the same', (_, input) => {
    const steps = transitionSteps(environment, state, input, 3_000)
    let pauses = 0
    let step = steps.next()
    for (; step.done !== true; step = steps.next()) pauses++
    expect(pauses).toBeGreaterThanOrEqual(PAUSES_MIN)
    expect(step.value).toEqual(transition(environment, state, input, 3_000))
  })
})
