import { describe, expect, test } from 'bun:test'
import { toBareHex } from '../../../core/bytes/hex.ts'
import { encodeBlock, encodeBlockSteps } from '../../../core/block/codec/block.ts'
import { qbftBlockHash, qbftSealHash } from '../../../core/block/codec/blockHash.ts'
import type { Transaction } from '../../../core/block/transaction.ts'
import type { QbftMessage } from '../../../core/qbft/message.ts'
import type { Input } from '../../../core/qbft/input.ts'
import { transition, transitionSteps } from '../../../core/qbft/machine.ts'
import type { RestartRecord } from '../../../core/qbft/restart/restartRecord.ts'
import {
  encodeRestartRecord,
  encodeRestartRecordSteps,
} from '../../../core/qbft/restart/restartRecordCodec.ts'
import { initialState, type QbftState } from '../../../core/qbft/state.ts'
import { drive } from '../../support/drive.ts'
import { makeBlock, makeTransfer } from './support/blocks.ts'
import { givenNode } from './support/given.ts'
import { certificate, proposal, roundChange, wireOf } from './support/messages.ts'
import { environmentOf, headOf } from './support/node.ts'
import { at } from './support/keys.ts'

const TRANSACTIONS = Array.from({ length: 200 }, (_, nonce) => makeTransfer(nonce))
/** Pauses for 200 transactions: one after each 32, and one between the hashes over the whole message. */
const PAUSES_MIN = 7

/** Pauses after encoding the payload, hashing it, and encoding the message. */
const PAUSES_PROPOSING = 3

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

const pausesOf = (...[environment, state, input, nowMs]: Parameters<typeof transitionSteps>): number => {
  const { pauses, result } = drive(transitionSteps(environment, state, input, nowMs))
  expect(result).toEqual(transition(environment, state, input, nowMs))
  return pauses
}

describe('given a message with a large block', () => {
  const { keys, environment, state, made } = given()
  const [proposer, , third] = keys
  if (proposer === undefined || third === undefined) throw new Error('four keys')
  const peers = [0, 2, 3].map(index => at(keys, index))

  test.each([
    ['a proposal', inputOf(proposer.address, proposal(proposer, made))],
    ['a round change', inputOf(third.address, roundChange(third, 1, certificate(peers, made)))],
    ['the own proposal that comes back', inputOf(third.address, proposal(at(keys, 1), made))],
  ])('when %s is taken in steps, then it pauses amid the block, and the outcome is the same', (_, input) => {
    expect(pausesOf(environment, state, input, 3_000)).toBeGreaterThanOrEqual(PAUSES_MIN)
  })
})

describe('given a validator whose pool has the transactions of a proposal', () => {
  test('when it takes the proposal, then it verifies the block with those of the pool', () => {
    const { keys, environment, state, made } = given()
    const pooled = new Map(TRANSACTIONS.map(one => [toBareHex(one.hash), { ...one }]))
    const [proposer] = keys
    if (proposer === undefined) throw new Error('four keys')
    const { effects } = transition(
      { ...environment, knownTransaction: hash => pooled.get(toBareHex(hash)) },
      state,
      inputOf(proposer.address, proposal(proposer, made)),
      3_000,
    )
    const [verified] = effects.filter(effect => effect.kind === 'verify-block')
    expect(encodeBlock(verified?.block ?? made)).toEqual(encodeBlock(made))
    const taken = new Set<Transaction>(pooled.values())
    expect(verified?.block.transactions.every(one => taken.has(one))).toBe(true)
  })
})

describe('given a validator that is the proposer', () => {
  const { keys, made } = given()
  const own = at(keys, 0)
  const environment = environmentOf(own)
  const after = (inputs: readonly Input[]): QbftState =>
    inputs.reduce(
      (before, input) => transition(environment, before, input, 3_000).state,
      initialState(undefined),
    )
  const begun: readonly Input[] = [
    { kind: 'head', head: headOf(keys) },
    { kind: 'timer', timer: { kind: 'block', sequence: 1n }, transactionsWaiting: true },
  ]

  test('when it has built a large block, then it pauses while it signs and encodes it', () => {
    const built: Input = { kind: 'block-built', sequence: 1n, round: 0, block: made }
    expect(pausesOf(environment, after(begun), built, 3_000)).toBe(PAUSES_PROPOSING)
  })

  test('when it has the verdict on the block of a certificate, then it pauses while it signs and encodes it', () => {
    const peers = [1, 2, 3].map(index => at(keys, index))
    const theirs = certificate(peers, made)
    const changes = peers.map(key => inputOf(key.address, roundChange(key, 4, theirs)))
    const verified: Input = { kind: 'block-verified', hash: qbftBlockHash(made.header), invalid: undefined }
    expect(pausesOf(environment, after([...begun, ...changes]), verified, 3_000)).toBe(PAUSES_PROPOSING)
  })

  test('when it has that verdict already, and the round changes come, then it pauses while it signs and encodes it', () => {
    const peers = [1, 2, 3].map(index => at(keys, index))
    const theirs = certificate(peers, made)
    // The second one makes this validator follow, whose own round change completes the quorum.
    const [first, second] = peers.map(key => inputOf(key.address, roundChange(key, 4, theirs)))
    if (first === undefined || second === undefined) throw new Error('three peers')
    const built: Input = { kind: 'block-built', sequence: 1n, round: 0, block: made }
    const withoutVerdict = pausesOf(environment, after([...begun, first]), second, 3_000)
    const withVerdict = pausesOf(environment, after([...begun, built, first]), second, 3_000)
    expect(withVerdict).toBe(withoutVerdict + PAUSES_PROPOSING)
  })
})

describe('given a large block to write', () => {
  const [own] = given().keys
  if (own === undefined) throw new Error('four keys')
  const validators = [own.address]
  const block = makeBlock({
    creator: own.address,
    validators,
    transactions: Array.from({ length: 2_000 }, () => makeTransfer(0)),
  })

  test('when it is encoded, then there are pauses, and the bytes are the same', () => {
    const { pauses, result } = drive(encodeBlockSteps(block))
    expect(pauses).toBe(4)
    expect(result).toEqual(encodeBlock(block))
  })

  test('when it is in the certificate of a restart record, then there are more pauses around its checksum', () => {
    const digest = qbftSealHash(block.header)
    const record: RestartRecord = {
      sequence: 1n,
      round: 0,
      proposed: digest,
      prepared: digest,
      committed: undefined,
      certificate: { block, round: 0, digest, prepares: [] },
    }
    const { pauses, result } = drive(encodeRestartRecordSteps(record))
    // One before it, and one within it, after the first 128 KiB of less than twice as much.
    expect(pauses).toBe(3 + 1 + 1)
    expect(result).toEqual(encodeRestartRecord(record))
  })
})
