import { describe, expect, test } from 'bun:test'
import { concatBytes } from '../../../core/bytes/bytes.ts'
import { keccak256 } from '../../../core/crypto/crypto.ts'
import { keccak256Steps } from '../../../core/crypto/keccakSteps.ts'
import { seededRandom } from '../../support/random.ts'

const KIBIBYTE = 1024

/** The hash, and how often others had their turn meanwhile. */
const run = (...pieces: readonly Uint8Array[]): { readonly hash: Uint8Array; readonly yields: number } => {
  const steps = keccak256Steps(...pieces)
  for (let yields = 0; ; yields++) {
    const step = steps.next()
    if (step.done === true) return { hash: step.value, yields }
  }
}

describe('given keccak in steps', () => {
  const random = seededRandom(1)

  test('when it has many pieces, then the hash is that of their concatenation', () => {
    for (const lengths of [
      [],
      [0],
      [32],
      [3, 0, 200],
      [128 * KIBIBYTE],
      [128 * KIBIBYTE + 1],
      [9, 400_000, 1],
    ]) {
      const pieces = lengths.map(length => random.bytes(length))
      expect(run(...pieces).hash).toEqual(keccak256(concatBytes(...pieces)))
    }
  })

  test('when the input is long, then it yields, and not when it is short', () => {
    expect(run(random.bytes(128 * KIBIBYTE)).yields).toBe(0)
    expect(run(random.bytes(5), random.bytes(1024 * KIBIBYTE)).yields).toBe(8)
  })
})
