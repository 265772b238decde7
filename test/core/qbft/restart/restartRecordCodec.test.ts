import { expect, test } from 'bun:test'
import { concatBytes, EMPTY_BYTES } from '../../../../core/bytes/bytes.ts'
import { keccak256 } from '../../../../core/crypto/crypto.ts'
import type { RestartRecord } from '../../../../core/qbft/restart/restartRecord.ts'
import {
  decodeRestartRecord,
  encodeRestartRecord,
  RestartRecordError,
} from '../../../../core/qbft/restart/restartRecordCodec.ts'
import { encodeRlp } from '../../../../core/rlp/rlp.ts'
import { seededRandom } from '../../../support/random.ts'
import { VALIDATORS } from '../../chain/support/keys.ts'
import { BLOCK, DIGEST, prepareBy } from '../codec/messages.ts'

const [V0, V1, V2] = VALIDATORS
const NOTHING: RestartRecord = {
  sequence: 1n,
  round: 0,
  proposed: undefined,
  prepared: undefined,
  committed: undefined,
  certificate: undefined,
}
const EVERYTHING: RestartRecord = {
  sequence: 2n ** 63n - 1n,
  round: 2 ** 31 - 1,
  proposed: DIGEST,
  prepared: keccak256(DIGEST),
  committed: DIGEST,
  certificate: {
    block: BLOCK,
    round: 0,
    digest: DIGEST,
    prepares: [V0, V1, V2].map(key => prepareBy(key)),
  },
}

test.each([
  ['nothing signed yet', NOTHING],
  ['everything', EVERYTHING],
  [
    'a certificate of a round before',
    { ...EVERYTHING, proposed: undefined, prepared: undefined, committed: undefined },
  ],
  ['a prepare alone', { ...NOTHING, prepared: DIGEST }],
])('given a record of %s, when it is encoded and decoded, then it is the same', (_name, record) => {
  expect(decodeRestartRecord(encodeRestartRecord(record))).toEqual(record)
})

test('given a partly written record, when it is read, then it is refused', () => {
  const bytes = encodeRestartRecord(EVERYTHING)
  for (let length = 0; length < bytes.length; length++)
    expect(() => decodeRestartRecord(bytes.subarray(0, length))).toThrow(RestartRecordError)
  expect(() => decodeRestartRecord(concatBytes(bytes, Uint8Array.of(0)))).toThrow('checksum')
})

test('given a record with one changed bit, when it is read, then it is refused', () => {
  const bytes = encodeRestartRecord(EVERYTHING)
  const { below } = seededRandom(3)
  for (let at = 0; at < bytes.length; at++) {
    const changed = bytes.slice()
    changed[at] = (changed[at] as number) ^ (1 << below(8))
    expect(() => decodeRestartRecord(changed)).toThrow(RestartRecordError)
  }
})

test('given a page of zeros, or a record of another version, when it is read, then the error says so', () => {
  expect(() => decodeRestartRecord(new Uint8Array(4096))).toThrow(
    'it has version 0, this program reads versions 1 and 2',
  )
  expect(() => decodeRestartRecord(new Uint8Array(0))).toThrow('it is empty')
})

const withDoubt = (isInDoubt: boolean, prepared: Uint8Array): Uint8Array => {
  const content = encodeRlp([1n, 3, isInDoubt ? 1 : 0, DIGEST, prepared, EMPTY_BYTES, []])
  const checked = concatBytes(Uint8Array.of(2), content)
  return concatBytes(Uint8Array.of(2), keccak256(checked).subarray(0, 8), content)
}

test.each([
  ['in doubt: nothing more is signed in its round', true, EMPTY_BYTES, { ...NOTHING, round: 4 }],
  ['in doubt, but of a prepare', true, DIGEST, { ...NOTHING, round: 3, proposed: DIGEST, prepared: DIGEST }],
  ['of what is sure', false, EMPTY_BYTES, { ...NOTHING, round: 3, proposed: DIGEST }],
])(
  'given a record of version 2 (%s), when it is read, then it is accepted',
  (_name, isInDoubt, prepared, record) => {
    expect(decodeRestartRecord(withDoubt(isInDoubt, prepared))).toEqual(record)
  },
)

test('given bytes with a right checksum that are not a record, when they are read, then the error names the fault', () => {
  const content = Uint8Array.of(0xc1, 0x01)
  const sum = keccak256(concatBytes(Uint8Array.of(1), content)).subarray(0, 8)
  const bytes = concatBytes(Uint8Array.of(1), sum, content)
  expect(() => decodeRestartRecord(bytes)).toThrow('6 are needed')
})
