import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Sample, startSampleChain } from '../../support/sampleChain.ts'

const CONTRACT = `0x${'c0'.repeat(20)}`
// Returns the hash of the block with the number in the call data.
const HASH_OF = '0x6000354060005260206000f3'
const NO_HASH = `0x${'00'.repeat(32)}`

const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`
const quantity = (value: number): string => `0x${value.toString(16)}`

describe('given BLOCKHASH and an overridden block number', () => {
  let sample: Sample
  const stateOverrides = { [CONTRACT]: { code: HASH_OF } }
  const hashes: string[] = []
  beforeAll(async () => {
    sample = await startSampleChain()
    for (let number = 0; number <= 5; number++) {
      const block = await sample.node.call('eth_getBlockByNumber', quantity(number), false)
      hashes.push((block as { readonly hash: string }).hash)
    }
  })
  afterAll(() => sample.node.close())

  type Ask = (asked: number, block: unknown, number: number) => Promise<unknown>
  const call = (asked: number) => ({ to: CONTRACT, data: word(asked) })
  const ways: readonly (readonly [name: string, ask: Ask])[] = [
    [
      'eth_call',
      (asked, block, number) =>
        sample.node.call('eth_call', call(asked), block, stateOverrides, { number: quantity(number) }),
    ],
    [
      'debug_traceCall',
      async (asked, block, number) => {
        const options = { stateOverrides, blockOverrides: { number: quantity(number) } }
        const trace = await sample.node.call('debug_traceCall', call(asked), block, options)
        return (trace as { readonly returnValue: string }).returnValue
      },
    ],
  ]

  test.each(ways)('when %s runs in the next block, then it sees the hash of the head', async (_, ask) => {
    expect(await ask(5, 'latest', 6)).toBe(hashes[5] as string)
    expect(await ask(4, 'latest', 6)).toBe(hashes[4] as string)
  })

  test.each(ways)('when %s runs in a later block, then it sees no hash of missing blocks', async (_, ask) => {
    expect(await ask(5, 'latest', 9)).toBe(hashes[5] as string)
    for (const missing of [6, 8]) expect(await ask(missing, 'latest', 9)).toBe(NO_HASH)
    expect(await ask(5, 'latest', 5 + 257)).toBe(NO_HASH)
  })

  test.each(ways)(
    'when %s runs in the block after a past one, then it sees the hash of that one',
    async (_, ask) => {
      expect(await ask(2, '0x2', 3)).toBe(hashes[2] as string)
      expect(await ask(3, '0x2', 5)).toBe(NO_HASH)
    },
  )

  test.each(ways)(
    'when %s runs at an earlier number, then it sees the hashes before it alone',
    async (_, ask) => {
      expect(await ask(2, 'latest', 3)).toBe(hashes[2] as string)
      expect(await ask(3, 'latest', 3)).toBe(NO_HASH)
    },
  )
})
