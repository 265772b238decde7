import { describe, expect, test } from 'bun:test'
import { ZERO_HASH } from '../../../../core/bytes/bytes.ts'
import { bigintToFixedBytes } from '../../../../core/bytes/integer.ts'
import {
  BAD_BLOCKS_BYTES_MAX,
  BAD_BLOCKS_MAX,
  createBadBlocks,
} from '../../../../core/chain/importing/badBlocks.ts'
import { InvalidBlock } from '../../../../core/chain/rules/invalidBlock.ts'
import { developmentGenesis } from '../../../../core/genesis/development/development.ts'
import { genesisBlock } from '../../../../core/genesis/genesisBlock.ts'
import { parseGenesis } from '../../../../core/genesis/parse/parse.ts'

const block = genesisBlock(
  parseGenesis(developmentGenesis({ validator: new Uint8Array(20).fill(1) })),
  ZERO_HASH,
)
const hashOf = (n: number): Uint8Array => bigintToFixedBytes(BigInt(n), 32)
const refusal = new InvalidBlock({ number: 0n }, 'gas-used', '1', '2')

describe('given the refused blocks', () => {
  test('when there are many, then the newest are kept, each once, with their rules', () => {
    const bad = createBadBlocks()
    for (let n = 0; n < BAD_BLOCKS_MAX + 5; n++) {
      bad.add(block, hashOf(n), refusal)
      bad.add(block, hashOf(n), refusal)
    }
    expect(bad.list()).toHaveLength(BAD_BLOCKS_MAX)
    expect(bad.list()[0]?.hash).toEqual(hashOf(5))
    expect(bad.list().at(-1)).toMatchObject({
      rule: 'gas-used',
      reason: 'Block 0 is invalid (gas-used): expected 1, found 2',
    })
  })

  test('when they are large, then their bytes are limited', () => {
    const bad = createBadBlocks()
    const half = Math.floor(BAD_BLOCKS_BYTES_MAX / 2)
    const large = { ...block, header: { ...block.header, extraData: new Uint8Array(half) } }
    for (let n = 0; n < 3; n++) bad.add(large, hashOf(n), refusal)
    expect(bad.list().map(({ hash }) => hash)).toEqual([hashOf(2)])
  })

  test('when their time or place may come, then they are not kept', () => {
    const bad = createBadBlocks()
    for (const rule of ['ancestry', 'future-timestamp'] as const)
      bad.add(block, hashOf(1), new InvalidBlock({ number: 0n }, rule, 'x', 'y'))
    expect(bad.list()).toEqual([])
  })
})
