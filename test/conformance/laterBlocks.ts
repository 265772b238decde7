import type { Address } from '../../core/bytes/bytes.ts'
import { rawHeaderHash } from '../../core/block/codec/header.ts'
import type { Header } from '../../core/block/header.ts'
import type { AccountChange } from '../../core/state/account.ts'
import type { KeyValueStore } from '../../core/store/keyvalue/keyvalue.ts'
import { encodeSegment } from '../../core/store/segments/segment.ts'
import { openReplicaWriter } from '../../core/store/replica/replicaWriter.ts'
import { updateStateRoot } from '../../core/trie/state/stateRoot.ts'
import { readReplica, writerId } from '../support/stores/replica.ts'
import { sampleChain } from '../support/chains/sampleChain.ts'

/** Transactions of each later block. */
export const LATER_TRANSACTIONS = 1_000

/**
 * Takes over a replica and returns a function that adds one block of LATER_TRANSACTIONS transactions, whose state has other
 * balances of the given accounts. Roots of the state are real; the transactions are samples.
 */
export const openLaterBlocks = async (
  kv: KeyValueStore,
  genesisHash: Uint8Array,
  changed: readonly Address[],
): Promise<() => Promise<number>> => {
  const sample = sampleChain({
    seed: 3,
    blocks: 8,
    accounts: 2,
    slots: 1,
    changesMax: 1,
    transactionsMax: LATER_TRANSACTIONS,
  })
  const transactions = sample.commits.flatMap(({ block }) => block.transactions).slice(0, LATER_TRANSACTIONS)
  const receipts = sample.commits.flatMap(commit => commit.receipts).slice(0, LATER_TRANSACTIONS)
  const senders = sample.commits.flatMap(commit => commit.senders).slice(0, LATER_TRANSACTIONS)
  if (transactions.length < LATER_TRANSACTIONS) throw new Error('the sample has too few transactions')
  const writer = await openReplicaWriter(kv, { writer: writerId(9), genesisHash, contents: 'chain' })
  return async () => {
    const store = await readReplica(kv)
    const parent = store?.head()
    if (store === undefined || parent === undefined) throw new Error('the replica has no block')
    const { number, stateRoot, timestamp, withdrawalsRoot } = parent.header
    const { root, changes } = await store.run(() => {
      const state = store.stateAt(number)
      const accounts = changed.flatMap((address): AccountChange[] => {
        const before = state.account(address)
        return before === undefined
          ? []
          : [{ address, before, after: { ...before, balance: before.balance + 1n }, slots: [] }]
      })
      return updateStateRoot(store.nodes(), stateRoot, { accounts, codes: [] })
    })
    const header: Header = {
      ...parent.header,
      parentHash: parent.hash,
      number: number + 1n,
      timestamp: timestamp + 1n,
      stateRoot: root,
    }
    const withdrawals = withdrawalsRoot === undefined ? undefined : []
    await writer.write([
      encodeSegment({
        block: { header, transactions, ommers: [], withdrawals },
        hash: rawHeaderHash(header),
        totalDifficulty: parent.totalDifficulty,
        senders,
        receipts,
        changes,
        nodes: [],
      }),
    ])
    return Number(header.number)
  }
}
