import { expect, test } from 'bun:test'
import type { Block } from '../../../../core/block/block.ts'
import { createPrefetch, type Prefetch } from '../../../../p2p/sync/chain/prefetch.ts'

/** Only the number of transactions counts here. */
const blocksOf = (count: number, transactions: number): readonly Block[] =>
  Array.from({ length: count }, () => ({ transactions: Array.from({ length: transactions }) }) as never)

type Begun = { readonly blocks: readonly Block[]; readonly end: () => void; hurried: number }

const recording = (): { readonly begun: Begun[]; readonly prefetch: Prefetch } => {
  const begun: Begun[] = []
  const prefetch = createPrefetch(blocks => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const one: Begun = { blocks, end: resolve, hurried: 0 }
    begun.push(one)
    return { done: promise, hurry: () => void one.hurried++ }
  })
  return { begun, prefetch }
}

/** Asks for each block in order, as an import with all of them in its queue does. */
const importAll = (prefetch: Prefetch, blocks: readonly Block[]): void => {
  for (const [index, block] of blocks.entries())
    prefetch.begin(block, count => blocks.slice(index + 1, index + 1 + count))
}

test('given a long queue, when its blocks are imported, then each is recovered once, in order and in batches', () => {
  const { begun, prefetch } = recording()
  const blocks = blocksOf(500, 1)
  importAll(prefetch, blocks)
  expect(begun.flatMap(one => one.blocks)).toEqual([...blocks])
  expect(new Set(begun.flatMap(one => one.blocks)).size).toBe(blocks.length)
  expect(begun.length).toBeLessThanOrEqual(17)
})

test('given a block that replaced another one, when it is imported, then it is recovered', () => {
  const { begun, prefetch } = recording()
  const [first, other] = blocksOf(2, 1) as [Block, Block]
  importAll(prefetch, [first])
  importAll(prefetch, [other])
  expect(begun.map(one => one.blocks)).toEqual([[first], [other]])
})

test('given large blocks, when earlier ones are in progress, then no more are begun than fit', async () => {
  const { begun, prefetch } = recording()
  const blocks = blocksOf(160, 1_000)
  prefetch.begin(blocks[0] as Block, count => blocks.slice(1, 1 + count))
  expect(begun.flatMap(one => one.blocks)).toHaveLength(16)
  const [huge] = blocksOf(1, 100_000) as [Block]
  prefetch.begin(huge, () => [])
  expect(begun).toHaveLength(1)
  begun[0]?.end()
  await prefetch.ready(blocks[0] as Block)
  prefetch.begin(huge, () => [])
  expect(begun[1]?.blocks).toEqual([huge])
})

test('given a batch in progress, when its blocks are imported, then it is hurried and waited for until it ends', async () => {
  const { begun, prefetch } = recording()
  const [first, second] = blocksOf(2, 1) as [Block, Block]
  prefetch.begin(first, () => [second])
  let isReady = false
  const ready = prefetch.ready(first).then(() => {
    isReady = true
  })
  await Promise.resolve()
  expect([begun[0]?.hurried, isReady]).toEqual([1, false])
  begun[0]?.end()
  await ready
  await prefetch.ready(second)
  expect(begun[0]?.hurried).toBe(1)
  await prefetch.ready(blocksOf(1, 1)[0] as Block)
})
