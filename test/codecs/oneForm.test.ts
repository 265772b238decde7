import { describe, expect, test } from 'bun:test'
import { faultOf, readAgain } from './codec.ts'
import { binaryMutations, rlpMutations } from './mutations.ts'
import { CODECS } from './table.ts'

/** Bytes of a sample up to which each of its bytes is changed: more than any header, message or record here has. */
const SAMPLE_BYTES_MAX = 8 * 1024

/** Forms of one sample that are tried. */
const FORMS_MAX = 40_000

function* formsOf(sample: Uint8Array): Generator<Uint8Array> {
  const type = (sample[0] as number) < 0x80 ? 1 : 0
  yield* rlpMutations(sample, type)
  if (sample.length <= SAMPLE_BYTES_MAX) yield* binaryMutations(sample)
}

describe('given an encoding of each kind', () => {
  test.each(CODECS.map(codec => [codec.name, codec] as const))(
    'when it is of a kind (%s), and is decoded and encoded, then it is the same, and no other form is taken',
    (_name, codec) => {
      for (const sample of codec.samples) {
        expect(readAgain(codec, sample)).toEqual(sample)
        let forms = 0
        for (const bytes of formsOf(sample)) {
          expect(faultOf(codec, bytes)).toBeUndefined()
          if (++forms > FORMS_MAX) break
        }
        expect(forms).toBeGreaterThan(10)
      }
    },
  )
})
