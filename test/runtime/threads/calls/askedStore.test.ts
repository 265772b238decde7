import { expect, test } from 'bun:test'
import type { ChainStore } from '../../../../core/store/store.ts'
import { answerAsk } from '../../../../runtime/threads/calls/answerAsk.ts'
import { createAskedStore } from '../../../../runtime/threads/calls/askedStore.ts'
import type { Asker } from '../../../../runtime/threads/calls/asker.ts'
import { createPinnedTrie } from '../../../../runtime/threads/calls/pinnedTrie.ts'
import type { Ask } from '../../../../runtime/threads/calls/protocol.ts'
import { fromHex } from '../../../../core/bytes/hex.ts'
import { startSampleChain } from '../../../handlers/support/sampleChain.ts'

test('given a call that began before the newest block, when it asks for that block, then the block is not there yet', async () => {
  const sample = await startSampleChain()
  const { chain } = sample.node
  const head = chain.head()
  const parent = { ...head, header: await chain.store.header(head.header.number - 1n) } as typeof head
  const { number } = head.header
  const transactionHash = fromHex(sample.hashes.at(-1)?.[0] ?? '')

  /** What the main thread answers, which has all blocks. */
  const answers = new Map<string, Uint8Array>()
  const asks: readonly Ask[] = [
    { kind: 'header', number },
    { kind: 'segment', number },
    { kind: 'numberOfHash', hash: head.hash },
    { kind: 'transaction', hash: transactionHash },
  ]
  for (const ask of asks) {
    const answer = await answerAsk(chain, createPinnedTrie(chain), ask)
    expect([ask.kind, answer.kind]).toEqual([ask.kind, 'found'])
    answers.set(ask.kind, answer.bytes)
  }
  const ask = ({ kind }: Ask): Uint8Array | undefined => answers.get(kind)
  const asker: Asker = { ask, askOnce: (_, what) => ask(what), forget: () => undefined }
  const seen = async (store: ChainStore): Promise<readonly boolean[]> =>
    (
      await Promise.all([
        store.header(number),
        store.recordBytes(number),
        store.record(number),
        store.changesOf(number),
        store.numberOfHash(head.hash),
        store.transactionLocation(transactionHash),
      ])
    ).map(found => found !== undefined)
  const watch = { gas: 1_000_000, check: () => undefined }

  expect(await seen(createAskedStore(asker, { current: parent }, watch))).toEqual(Array(6).fill(false))
  expect(await seen(createAskedStore(asker, { current: head }, watch))).toEqual(Array(6).fill(true))
  await sample.node.close()
})
