import { expect, test } from 'bun:test'
import { DecodeError } from '../../../../core/block/codec/error.ts'
import { decodeMessage, encodeMessage } from '../../../../core/qbft/codec/message.ts'
import {
  type Dialect,
  QBFT_CODES,
  type QbftMessage,
  type WireMessage,
} from '../../../../core/qbft/message.ts'
import { proposalRule } from '../../../../core/qbft/rules/proposal.ts'
import { commitRule } from '../../../../core/qbft/rules/commit.ts'
import { roundChangeRule } from '../../../../core/qbft/rules/roundChange.ts'
import { authorOf } from '../../../../core/qbft/signatures.ts'
import { seededRandom } from '../../../support/random.ts'
import { VALIDATORS } from '../../chain/support/keys.ts'
import {
  BLOCK,
  BLOCK_OF_ROUND_ONE,
  commitBy,
  DIGEST,
  prepareBy,
  proposalBy,
  roundChangeBy,
  signedRoundChangeBy,
} from './messages.ts'

const [V0, V1, V2, V3] = VALIDATORS
const CODES = Object.values(QBFT_CODES)
const prepares = [V0, V1, V2].map(key => prepareBy(key))
const context = { validators: VALIDATORS.map(({ address }) => address), sequence: 1n }

const messages = (dialect: Dialect): WireMessage[] =>
  (
    [
      { kind: 'prepare', signed: prepareBy(V1) },
      commitBy(V2),
      roundChangeBy(V3, 1),
      roundChangeBy(V3, 1, { block: BLOCK, round: 0, digest: DIGEST, prepares }),
      proposalBy(V0, 0, BLOCK, { dialect }),
      proposalBy(V1, 1, BLOCK_OF_ROUND_ONE, {
        dialect,
        roundChanges: [V0, V1, V2].map(key => signedRoundChangeBy(key, 1)),
        prepares,
      }),
    ] satisfies QbftMessage[]
  ).map(message => encodeMessage(message, dialect))

/** Decodes and checks: every message that decodes must pass through author recovery and rules without an exception. */
const readsOrRefuses = ({ code, data }: WireMessage, isJudged: boolean): boolean => {
  let message: QbftMessage
  try {
    message = decodeMessage(code, data)
  } catch (error) {
    expect(error).toBeInstanceOf(DecodeError)
    return false
  }
  // The signed bytes are part of the input, and are encoded unchanged.
  const again = encodeMessage(message, data.length % 2 === 0 ? 'legacy' : 'blockAccessList')
  expect(decodeMessage(code, again.data).signed).toEqual(message.signed)
  if (!isJudged) return true
  authorOf(QBFT_CODES[message.kind], message.signed)
  if (message.kind === 'proposal') proposalRule(context, message)
  if (message.kind === 'round-change') roundChangeRule(context, message)
  if (message.kind === 'commit') commitRule(message.signed, BLOCK, DIGEST)
  return true
}

test('given random bytes, when they are decoded with any code, then they are refused', () => {
  const { bytes, below } = seededRandom(1)
  for (let i = 0; i < 20_000; i++)
    readsOrRefuses({ code: CODES[i % 4] as number, data: bytes(below(200)) }, true)
})

test('given valid messages with changed, missing or doubled bytes, when they are decoded, then they are read or refused', () => {
  const { word, below } = seededRandom(2)
  const valid = [...messages('legacy'), ...messages('blockAccessList')]
  let read = 0
  for (let i = 0; i < 20_000; i++) {
    const { code, data } = valid[below(valid.length)] as WireMessage
    let changed = data.slice()
    for (let changes = below(3); changes >= 0; changes--) {
      const at = below(changed.length)
      const until = Math.min(changed.length, at + below(40))
      if (below(4) > 0) changed[at] = word() >>> 24
      else if (below(2) > 0)
        changed = Uint8Array.from([...changed.subarray(0, at), ...changed.subarray(until)])
      else changed = Uint8Array.from([...changed.subarray(0, until), ...changed.subarray(at)])
      if (changed.length === 0) break
    }
    if (readsOrRefuses({ code, data: changed }, i % 20 === 0)) read++
  }
  expect(read).toBeGreaterThan(1000)
})

test('given every message, when it is cut off anywhere, then it is refused', () => {
  for (const { code, data } of messages('blockAccessList'))
    for (let length = 0; length < data.length; length++)
      expect(readsOrRefuses({ code, data: data.subarray(0, length) }, false)).toBe(false)
})
