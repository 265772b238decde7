import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { toHex } from '../../../core/bytes/hex.ts'
import { InvalidBlock } from '../../../core/chain/rules/invalidBlock.ts'
import { developmentGenesis } from '../../../core/genesis/development/development.ts'
import { InvalidProof } from '../../../core/trie/verify.ts'
import { createLightClient, NotProved } from '../../../core/verify/index.ts'
import { addressOf, sealedChain } from '../../support/chains/sealedChain.ts'

const RUNS = 300

const genesis = JSON.stringify(developmentGenesis({ validator: addressOf(0) }))

const blockJson = (): Record<string, unknown> => {
  const [, header] = sealedChain(2)
  if (header === undefined) throw new Error('the chain has no block')
  const entries = Object.entries(header).map(([name, value]) => [
    name,
    value instanceof Uint8Array
      ? toHex(value)
      : typeof value === 'bigint'
        ? `0x${value.toString(16)}`
        : value,
  ])
  const { ommersHash, coinbase, ...rest } = Object.fromEntries(entries) as Record<string, unknown>
  return { ...rest, sha3Uncles: ommersHash, miner: coinbase }
}

const BLOCK = blockJson()
const NAMES = Object.keys(BLOCK)

/** Values that a field of an answer may have from a node that lies. */
const field = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    undefined,
    '',
    '0x',
    '0x0',
    '0xzz',
    '-1',
    1.5,
    NaN,
    true,
    [],
    {},
    `0x${'f'.repeat(65)}`,
    '9'.repeat(100_000),
    `0x${'c0'.repeat(100_000)}`,
    `0x${'f9ffff'.repeat(30)}`,
  ),
  fc.uint8Array({ maxLength: 300 }).map(bytes => toHex(bytes)),
  fc.bigInt({ min: 0n, max: 2n ** 256n }).map(value => `0x${value.toString(16)}`),
)

const answer = fc.oneof(
  fc.constantFrom<unknown>(null, undefined, [], {}, 'text', 5, [[]]),
  fc.dictionary(fc.constantFrom(...NAMES), field).map(changes => ({ ...BLOCK, ...changes })),
)

describe('a light client of a node that answers anything', () => {
  test('given any answers, then nothing is proved, and each error is one of those that are documented', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(answer, { minLength: 1, maxLength: 4 }), async answers => {
        let next = 0
        const client = createLightClient({ genesis, request: async () => answers[next++ % answers.length] })
        try {
          const head = await client.head()
          // Block 0 is that of the genesis file.
          expect(head.number).toBe(0n)
        } catch (error) {
          if (![NotProved, InvalidBlock, InvalidProof].some(kind => error instanceof kind)) throw error
        }
      }),
      { numRuns: RUNS, seed: 35 },
    )
  })

  test('given a checkpoint and a block of any form, then it is not trusted', async () => {
    await fc.assert(
      fc.asyncProperty(answer, async block => {
        const checkpoint = { number: 1n, hash: new Uint8Array(32).fill(1) }
        const client = createLightClient({ genesis, checkpoint, request: async () => block })
        try {
          await client.head()
          throw new Error('a block was trusted')
        } catch (error) {
          if (!(error instanceof NotProved)) throw error
        }
      }),
      { numRuns: RUNS, seed: 36 },
    )
  })
})
