import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'bun:test'
import { fromHex, toBareHex } from '../../../core/bytes/hex.ts'
import { decodeRlp, encodeRlp, RlpError, type RlpInput } from '../../../core/rlp/rlp.ts'
import { archiveFolder } from '../../support/published/archive.ts'

type Json = string | number | Json[]
type Case = { readonly in: Json; readonly out: string }

const folder = archiveFolder('RLPTests')
if (folder === undefined) console.warn('RLPTests skipped: ../shared/vectors/ethereum-tests.tar.xz is absent')
const withArchive = folder === undefined ? test.skip : test
const cases = (file: string): [string, Case][] =>
  Object.entries(JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')) as Record<string, Case>)

/** Text is a byte string of its UTF-8, `#` before digits makes a large integer. */
const inputOf = (json: Json): RlpInput => {
  if (typeof json === 'number') return json
  if (Array.isArray(json)) return json.map(inputOf)
  return json.startsWith('#') ? BigInt(json.slice(1)) : new TextEncoder().encode(json)
}

describe('the official RLP tests', () => {
  withArchive('rlptest.json encodes and decodes', () => {
    for (const [name, { in: input, out }] of cases('rlptest.json')) {
      const bytes = fromHex(out)
      expect([name, toBareHex(encodeRlp(inputOf(input)))]).toEqual([name, toBareHex(bytes)])
      expect([name, toBareHex(encodeRlp(decodeRlp(bytes)))]).toEqual([name, toBareHex(bytes)])
    }
  })

  withArchive('invalidRLPTest.json is refused', () => {
    const all = cases('invalidRLPTest.json')
    expect(all.length).toBeGreaterThan(20)
    for (const [name, { out }] of all) {
      let refused: unknown
      try {
        decodeRlp(fromHex(out))
      } catch (error) {
        refused = error
      }
      expect([name, refused instanceof RlpError]).toEqual([name, true])
    }
  })

  withArchive('RandomRLPTests decode where valid', () => {
    for (const file of readdirSync(`${folder}/RandomRLPTests`)) {
      for (const [name, { in: verdict, out }] of cases(`RandomRLPTests/${file}`)) {
        const bytes = fromHex(out)
        if (verdict === 'VALID') expect([name, encodeRlp(decodeRlp(bytes))]).toEqual([name, bytes])
        else expect(() => decodeRlp(bytes)).toThrow(RlpError)
      }
    }
  })
})
