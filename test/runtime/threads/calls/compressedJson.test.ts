import { describe, expect, test } from 'bun:test'
import { createJsonArray, keepPlain } from '../../../../handlers/rpc/json/jsonPieces.ts'
import {
  keepCompressed,
  compressPieces,
  compressText,
  restorePieces,
} from '../../../../runtime/threads/calls/compressedJson.ts'

const encoder = new TextEncoder()
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

describe('given bytes that wait to be sent', () => {
  test('when they repeat themselves, then they take a tenth of the memory', () => {
    const bytes = encoder.encode('{"pc":1,"op":"PUSH1","gas":100000}'.repeat(7000))
    const kept = keepCompressed(bytes)
    const [compressed] = compressPieces([kept])
    expect(compressed?.data.length).toBeLessThan(bytes.length / 10)
    expect(kept.byteLength).toBe(bytes.length)
    expect(text(kept.bytes()) === text(bytes)).toBe(true)
  })

  test('when they do not, then they take no more than they are, and are copies', () => {
    const bytes = crypto.getRandomValues(new Uint8Array(60_000))
    const before = new Uint8Array(bytes)
    const kept = keepCompressed(bytes)
    expect(compressPieces([kept])[0]?.data.length).toBe(bytes.length)
    bytes.fill(0)
    expect(kept.bytes()).toEqual(before)
    expect(keepCompressed(new Uint8Array(0)).bytes().length).toBe(0)
  })
})

test('given pieces of every kind, when they pass to another thread, then they are the same there', () => {
  const array = createJsonArray(keepCompressed)
  const words = Array.from({ length: 100_000 }, (_, i) => `é😀 ${i}`.repeat(10))
  for (const word of words) array.add(JSON.stringify(word))
  const { pieces } = array.finish()
  const compressed = compressPieces([...pieces, keepPlain(encoder.encode(' '))])
  const there = structuredClone(compressed, { transfer: compressed.map(({ data: { buffer } }) => buffer) })
  expect(restorePieces(there).text === `${JSON.stringify(words)} `).toBe(true)
  expect(compressed.every(({ data: { length } }) => length === 0)).toBe(true)
})

test('given a long text, when it is cut into pieces, then no character is', () => {
  const text = JSON.stringify(`x${'😀é'.repeat(400_000)}`)
  const compressed = compressText(text)
  expect(compressed.length).toBeGreaterThan(3)
  expect(restorePieces(compressed).text === text).toBe(true)
})
