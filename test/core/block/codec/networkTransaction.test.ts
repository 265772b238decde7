import { describe, expect, test } from 'bun:test'
import { encodeEnvelope } from '../../../../core/block/codec/envelope.ts'
import { DecodeError } from '../../../../core/block/codec/error.ts'
import { decodeNetworkTransaction } from '../../../../core/block/codec/networkTransaction.ts'
import { decodeTransaction } from '../../../../core/block/codec/transaction.ts'
import type { RlpInput } from '../../../../core/rlp/rlp.ts'

const TO = new Uint8Array(20).fill(0x22)
const HASH = new Uint8Array(32).fill(0x01)
const FIELDS: readonly RlpInput[] = [1, 1, 2, 3, 21000, TO, 3, HASH, [], 4, [HASH, HASH], 0, 5, 6]
const blob = new Uint8Array(131_072)
const point = new Uint8Array(48)
const two = (bytes: Uint8Array): RlpInput => [bytes, bytes]
const proofs = (count: number): RlpInput => Array.from({ length: count }, () => point)

const decode = (...parts: readonly RlpInput[]) => decodeNetworkTransaction(encodeEnvelope(3, parts))

describe('given decodePooledTransaction', () => {
  test('when the sidecar is EIP-4844’s, then it gives the block form and the sidecar', () => {
    const { transaction, sidecar } = decode(FIELDS, two(blob), two(point), proofs(2))
    expect(transaction).toEqual(decodeTransaction(encodeEnvelope(3, FIELDS)))
    expect(sidecar?.version).toBe(0)
    expect([sidecar?.blobs.length, sidecar?.commitments.length, sidecar?.proofs.length]).toEqual([2, 2, 2])
  })

  test('when the sidecar is EIP-7594’s, then it gives the cell proofs', () => {
    const { transaction, sidecar } = decode(FIELDS, Uint8Array.of(1), two(blob), two(point), proofs(256))
    expect(transaction.blobVersionedHashes.length).toBe(2)
    expect(sidecar?.version).toBe(1)
    expect(sidecar?.proofs.length).toBe(256)
  })

  test('when there is no sidecar, then it accepts block form and other types', () => {
    const blobBytes = encodeEnvelope(3, FIELDS)
    expect(decodeNetworkTransaction(blobBytes)).toEqual({
      transaction: decodeTransaction(blobBytes),
      sidecar: undefined,
    })
    const legacy = encodeEnvelope(0, [1, 2, 21000, TO, 3, HASH, 27, 5, 6])
    expect(decodeNetworkTransaction(legacy).sidecar).toBeUndefined()
  })

  test('when the request ends, then the transaction has its own bytes', () => {
    const bytes = encodeEnvelope(2, [1, 7, 1, 2, 21000, TO, 3, HASH, [], 0, 5, 6])
    const expected = decodeTransaction(bytes.slice())
    const { transaction } = decodeNetworkTransaction(bytes)
    bytes.fill(0xff)
    expect(transaction).toEqual(expected)
  })

  const refused: readonly (readonly [string, readonly RlpInput[]])[] = [
    ['fewer blobs than hashes', [FIELDS, [blob], two(point), proofs(2)]],
    ['fewer commitments than hashes', [FIELDS, two(blob), [point], proofs(2)]],
    ['another number of proofs', [FIELDS, two(blob), two(point), proofs(3)]],
    ['cell proofs in the older form', [FIELDS, two(blob), two(point), proofs(256)]],
    ['an unknown wrapper version', [FIELDS, Uint8Array.of(2), two(blob), two(point), proofs(256)]],
    ['a short blob', [FIELDS, two(blob.subarray(1)), two(point), proofs(2)]],
    ['a short commitment', [FIELDS, two(blob), two(point.subarray(1)), proofs(2)]],
    ['a part missing', [FIELDS, two(blob), two(point)]],
    ['fields of another type', [FIELDS.slice(1), two(blob), two(point), proofs(2)]],
  ]
  for (const [name, parts] of refused)
    test(`when it gets ${name}, then it is refused`, () => {
      expect(() => decode(...parts)).toThrow(DecodeError)
    })
})
