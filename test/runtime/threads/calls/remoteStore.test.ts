import { expect, test } from 'bun:test'
import type { ChainStore } from '../../../../core/store/store.ts'
import { answerStoreRequest } from '../../../../runtime/threads/calls/storeServer.ts'
import { createRemoteStore } from '../../../../runtime/threads/calls/remoteStore.ts'
import type { StoreClient } from '../../../../runtime/threads/calls/storeClient.ts'
import { createPinnedTrie } from '../../../../runtime/threads/calls/pinnedTrie.ts'
import type { StoreRequest } from '../../../../runtime/threads/calls/protocol.ts'
import { HistoryPruned } from '../../../../core/store/historyPruned.ts'
import { decodePruned } from '../../../../runtime/threads/calls/pruned.ts'
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
  const asks: readonly StoreRequest[] = [
    { kind: 'header', number },
    { kind: 'segment', number },
    { kind: 'numberOfHash', hash: head.hash },
    { kind: 'transaction', hash: transactionHash },
  ]
  for (const request of asks) {
    const answer = await answerStoreRequest(chain, createPinnedTrie(chain), request)
    expect([request.kind, answer.kind]).toEqual([request.kind, 'found'])
    answers.set(request.kind, answer.bytes)
  }
  const request = ({ kind }: StoreRequest): Uint8Array | undefined => answers.get(kind)
  const client: StoreClient = {
    request,
    requestCached: (_, what) => request(what),
    forget: () => undefined,
    forgetAll: () => undefined,
  }
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

  expect(await seen(createRemoteStore(client, { current: parent }, watch))).toEqual(Array(6).fill(false))
  expect(await seen(createRemoteStore(client, { current: head }, watch))).toEqual(Array(6).fill(true))
  await sample.node.close()
})

test('given a node that has removed old blocks, when a call asks for one of them, then the answer says what was removed', async () => {
  const sample = await startSampleChain({ store: { flushBlocks: 1, history: { blocks: 2, stepBlocks: 1 } } })
  const { chain } = sample.node
  await chain.store.flush()
  const pinned = createPinnedTrie(chain)
  const start = Number(chain.store.historyStart?.())
  expect(start).toBe(4)
  const address = new Uint8Array(20)
  for (const [request, what] of [
    [{ kind: 'segment', number: 2n }, 'block'],
    [{ kind: 'account', number: 2n, address }, 'state'],
  ] as const satisfies readonly (readonly [StoreRequest, string])[]) {
    const { kind, bytes } = await answerStoreRequest(chain, pinned, request)
    expect([kind, decodePruned(bytes)]).toEqual(['pruned', new HistoryPruned(what, 2, start)])
  }
  expect(await answerStoreRequest(chain, pinned, { kind: 'historyStart' })).toMatchObject({ kind: 'found' })
  await sample.node.close()
})
