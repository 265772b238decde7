import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'bun:test'
import { fromHex, toBareHex } from '../../../../core/bytes/hex.ts'
import { sharedPath } from '../../../support/published/shared.ts'
import { contractAt } from './support.ts'

const folder = sharedPath('vectors/precompiles')
if (folder === undefined) console.warn('precompile vectors skipped: ../shared/vectors/precompiles is absent')
const withVectors = folder === undefined ? test.skip : test
const read = (name: string): string => readFileSync(`${folder}/${name}`, 'utf8')

/** Rows of input, result, gas and notes; a note says why the call fails, and its gas then says nothing. */
const CSV_FILES: readonly (readonly [file: string, address: number, every?: number])[] = [
  ['g1_add.csv', 0x0b],
  ['g1_mul.csv', 0x0c],
  ['g1_multiexp.csv', 0x0c],
  ['g2_add.csv', 0x0d],
  ['g2_mul.csv', 0x0e],
  // A third of the slow ones; CI runs others as state tests of Prague.
  ['g2_multiexp.csv', 0x0e, 3],
  ['pairing.csv', 0x0f, 3],
  ['invalid_subgroup_for_pairing.csv', 0x0f],
  ['fp_to_g1.csv', 0x10],
  ['fp2_to_g2.csv', 0x11],
]

describe('the published BLS12-381 vectors (EIP-2537)', () => {
  for (const [file, address, every = 1] of CSV_FILES) {
    withVectors(
      file,
      () => {
        const { gas, run } = contractAt(address)
        const rows = read(file).trim().split('\n').slice(1)
        expect(rows.length).toBeGreaterThan(100)
        for (const row of rows.filter((_, index) => index % every === 0)) {
          const [input = '', result = '', gasText = '', notes = ''] = row.split(',')
          const bytes = fromHex(input)
          const expected = result.replace(/^0x/, '')
          const output = run(bytes)
          expect(output === undefined ? `fails: ${notes}` : toBareHex(output)).toBe(
            notes === '' ? expected : `fails: ${notes}`,
          )
          if (notes === '') expect(gas(bytes)).toBe(Number(gasText))
        }
      },
      60_000,
    )
  }
})

describe('the published secp256r1 vectors (EIP-7951)', () => {
  withVectors(
    'p256verify_test_vectors.json',
    () => {
      const { gas, run } = contractAt(0x100)
      const rows = JSON.parse(read('p256verify_test_vectors.json')) as {
        Input: string
        Expected: string
        Name: string
      }[]
      expect(rows.length).toBeGreaterThan(700)
      for (const row of rows) {
        const input = fromHex(row.Input)
        expect(`${row.Name} ${toBareHex(run(input) ?? new Uint8Array(1))}`).toBe(
          `${row.Name} ${row.Expected}`,
        )
        // The file carries the price of RIP-7212; EIP-7951 doubled it.
        expect(gas(input)).toBe(6900)
      }
    },
    60_000,
  )
})

describe('the published point evaluation vectors (EIP-4844)', () => {
  withVectors('pointEvaluationPrecompile.json', () => {
    const { gas, run } = contractAt(0x0a)
    const file = JSON.parse(read('pointEvaluationPrecompile.json')) as {
      PrecompileReturnValue: string
      TestCases: { Input: string; FailureMode: string; Valid: boolean }[]
    }
    expect(file.TestCases.length).toBeGreaterThan(2)
    for (const { Input, FailureMode, Valid } of file.TestCases) {
      const output = run(fromHex(Input))
      expect(output === undefined ? FailureMode : toBareHex(output)).toBe(
        Valid ? file.PrecompileReturnValue : FailureMode,
      )
      expect(gas(fromHex(Input))).toBe(50_000)
    }
  })
})
