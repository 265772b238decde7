import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { BlobSidecar } from '../../../../core/block/codec/networkTransaction.ts'
import { verifySidecar } from '../../../../core/txpool/blobs/sidecar.ts'
import { BLOB, HASHES, hashOfCommitment, SIDECARS } from './vector.ts'

// Each takes some tenths of a second.
setDefaultTimeout(120_000)

const holds = (sidecar: BlobSidecar, hashes: readonly Uint8Array[] = HASHES): Promise<boolean> =>
  verifySidecar({ blobVersionedHashes: hashes }, sidecar, () => Promise.resolve())

const flipped = (bytes: Uint8Array, at: number): Uint8Array => {
  const copy = bytes.slice()
  copy[at] = (copy[at] as number) ^ 1
  return copy
}

describe('given the sidecar of a blob transaction', () => {
  for (const version of [0, 1] as const) {
    const sidecar = SIDECARS[version]

    test(`when version ${version} is unchanged, then it is valid`, async () => {
      expect(await holds(sidecar)).toBe(true)
    })

    test(`when anything of version ${version} is changed, then it is invalid`, async () => {
      expect(await holds({ ...sidecar, blobs: [flipped(BLOB, 40)] })).toBe(false)
      expect(await holds(sidecar, [flipped(HASHES[0] as Uint8Array, 31)])).toBe(false)
      const other = SIDECARS[version === 0 ? 1 : 0].proofs[0] as Uint8Array
      expect(await holds({ ...sidecar, proofs: [other, ...sidecar.proofs.slice(1)] })).toBe(false)
      expect(await holds({ ...sidecar, commitments: [other] }, [hashOfCommitment(other)])).toBe(false)
    })

    test(`when version ${version} has invalid elements or points, then it is invalid`, async () => {
      const large = BLOB.slice()
      large[0] = 0xff
      expect(await holds({ ...sidecar, blobs: [large] })).toBe(false)
      const none = new Uint8Array(48)
      expect(await holds({ ...sidecar, commitments: [none] }, [hashOfCommitment(none)])).toBe(false)
      expect(await holds({ ...sidecar, proofs: [none, ...sidecar.proofs.slice(1)] })).toBe(false)
    })
  }

  test('when two cells are exchanged, then it is invalid', async () => {
    const [first, second, ...rest] = SIDECARS[1].proofs as [Uint8Array, Uint8Array, ...Uint8Array[]]
    expect(await holds({ ...SIDECARS[1], proofs: [second, first, ...rest] })).toBe(false)
  })

  test('when a blob is all zeros, with infinite points, then it is valid', async () => {
    const infinite = new Uint8Array(48)
    infinite[0] = 0xc0
    const blobs = [new Uint8Array(BLOB.length)]
    const commitments = [infinite]
    const hashes = [hashOfCommitment(infinite)]
    expect(await holds({ version: 0, blobs, commitments, proofs: [infinite] }, hashes)).toBe(true)
    const proofs = Array.from({ length: 128 }, () => infinite)
    expect(await holds({ version: 1, blobs, commitments, proofs }, hashes)).toBe(true)
  })

  test('when its cells are checked, then other work runs in between', async () => {
    let pauses = 0
    await verifySidecar({ blobVersionedHashes: HASHES }, SIDECARS[1], () => {
      pauses++
      return Promise.resolve()
    })
    expect(pauses).toBeGreaterThan(100)
  })
})
