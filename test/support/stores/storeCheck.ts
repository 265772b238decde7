import { expect } from 'bun:test'
import { equalBytes } from '../../../core/bytes/bytes.ts'
import { toHex } from '../../../core/bytes/hex.ts'
import type { ChainStore } from '../../../core/store/store.ts'
import { updateStateRoot } from '../../../core/trie/state/stateRoot.ts'
import { modelAccount, modelSlot, type SampleChain } from '../chains/sampleChain.ts'

const sameAccounts = (a: unknown, b: unknown): boolean => Bun.deepEquals(a, b)

/** What of the state after a block does not read as the model says; empty when everything does. */
const stateDifferences = async (store: ChainStore, chain: SampleChain, number: number): Promise<string[]> => {
  const differences: string[] = []
  const state = chain.states[number] as SampleChain['states'][number]
  for (const address of chain.addresses) {
    const expected = modelAccount(state, address)
    // One account a run: over an asynchronous store a run begins again for each entry that it misses.
    const same = await store.run(() => {
      const reader = store.stateAt(BigInt(number))
      const account = reader.account(address)
      if (!sameAccounts(account, expected)) return false
      if (account === undefined) return true
      reader.code(account.codeHash)
      return chain.slots.every(slot =>
        equalBytes(reader.storage(address, account, slot), modelSlot(state, address, account, slot)),
      )
    })
    if (!same) differences.push(`account ${toHex(address)} or its storage after block ${number}`)
  }
  return differences
}

/** Holds everything the store says about blocks `from` to `head` against the chain. */
export const expectChain = async (
  store: ChainStore,
  chain: SampleChain,
  head: number,
  from = 0,
): Promise<void> => {
  expect(store.head()?.header.number).toBe(BigInt(head))
  // The first block has the values before it.
  if (from > 0) expect(await stateDifferences(store, chain, from - 1)).toEqual([])
  for (let number = from; number <= head; number++) {
    expect(await stateDifferences(store, chain, number)).toEqual([])
    const { block, hash, totalDifficulty, senders, receipts } = chain.commits[
      number
    ] as SampleChain['commits'][number]
    const record = await store.record(BigInt(number))
    if (!Bun.deepEquals(record, { block, hash, totalDifficulty, senders, receipts }))
      expect(record).toEqual({ block, hash, totalDifficulty, senders, receipts })
    expect(await store.numberOfHash(hash)).toBe(BigInt(number))
    expect(Bun.deepEquals(await store.header(BigInt(number)), block.header)).toBe(true)
    const index = block.transactions.length - 1
    if (index >= 0)
      expect(await store.transactionLocation(block.transactions[index]?.hash as Uint8Array)).toEqual({
        blockNumber: BigInt(number),
        index,
      })
  }
  await expectTrie(store, chain, head)
}

/** The trie at the head takes the next block, and gives the root that the chain has. */
const expectTrie = async (store: ChainStore, chain: SampleChain, head: number): Promise<void> => {
  const next = chain.commits[head + 1]
  if (next === undefined) return
  const { stateRoot } = (chain.commits[head] as SampleChain['commits'][number]).block.header
  const { root } = await store.run(() => updateStateRoot(store.nodes(), stateRoot, next.changes))
  expect(equalBytes(root, next.block.header.stateRoot)).toBe(true)
}
