import { MerkleStateManager } from '@ethereumjs/statemanager'
import { Account as ReferenceAccount, Address as ReferenceAddress } from '@ethereumjs/util'
import { equalBytes, type Hash } from '../../../core/bytes/bytes.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT } from '../../../core/crypto/constants.ts'
import type { Account, StateChanges } from '../../../core/state/account.ts'
import { createTrieCache, type TrieCache } from '../../../core/trie/nodes/cache.ts'
import type { TrieNodeReader, TrieNodeWrite } from '../../../core/trie/nodes/node.ts'
import { updateStateRoot } from '../../../core/trie/state/stateRoot.ts'
import { seededRandom } from '../../support/random.ts'
import { type BenchOptions, medianMs, msText, type Row, timesText } from '../measure.ts'
import { holderAddress } from '../workload.ts'

const CHANGED = 10_000
/** Building more in the reference takes minutes; its trie is then a level less deep than ours. */
const REFERENCE_ACCOUNTS = 100_000
/** Accounts added at once while a state is built: bounds what is in memory beside it. */
const BUILD_BATCH = 20_000

export const fundedAccount = (balance: bigint): Account => ({
  nonce: 0n,
  balance,
  codeHash: EMPTY_CODE_HASH,
  storageRoot: EMPTY_TRIE_ROOT,
  incarnation: 0n,
})

const BALANCE = 10n ** 21n

/** Changes that create the holders `from` to `to`, one batch after the other. */
export function* holderBatches(from: number, to: number): Generator<StateChanges> {
  for (let start = from; start < to; start += BUILD_BATCH)
    yield {
      accounts: Array.from({ length: Math.min(BUILD_BATCH, to - start) }, (_, index) => ({
        address: holderAddress(start + index),
        before: undefined,
        after: fundedAccount(BALANCE),
        slots: [],
      })),
      codes: [],
    }
}

type State = { readonly nodes: TrieNodeReader; readonly root: Hash; readonly cache: TrieCache }

const buildState = (accounts: number): State => {
  const records = new Map<string, Uint8Array>()
  const nodes: TrieNodeReader = { get: key => records.get(key) }
  const write = (writes: readonly TrieNodeWrite[]): void => {
    for (const { key, value } of writes) {
      if (value === undefined) records.delete(key)
      else records.set(key, value)
    }
  }
  const cache = createTrieCache()
  let root = EMPTY_TRIE_ROOT
  for (const changes of holderBatches(0, accounts)) {
    const update = updateStateRoot(nodes, root, changes, cache)
    write(update.nodes)
    root = update.root
  }
  return { nodes, root, cache }
}

/** Different accounts each time, so that what was read before helps no more than it does on a chain. */
const chosen = (count: number, accounts: number, seed: number): number[] => {
  const random = seededRandom(seed)
  const indexes = new Set<number>()
  while (indexes.size < count) indexes.add(random.below(accounts))
  return [...indexes]
}

const ownMs = async (accounts: number, windows: number): Promise<number> => {
  const { nodes, root, cache } = buildState(accounts)
  const batches = Array.from({ length: windows + 3 }, (_, window): StateChanges => {
    const indexes = chosen(CHANGED, accounts, window + 1)
    return {
      accounts: indexes.map(index => ({
        address: holderAddress(index),
        before: fundedAccount(BALANCE),
        after: fundedAccount(BALANCE - BigInt(window + 1)),
        slots: [],
      })),
      codes: [],
    }
  })
  let next = 0
  return medianMs(
    () => {
      const update = updateStateRoot(nodes, root, batches[next++] as StateChanges, cache)
      if (equalBytes(update.root, root)) throw new Error('the root did not change')
    },
    { warmups: 3, windows },
  )
}

const referenceMs = async (accounts: number, windows: number): Promise<number> => {
  const manager = new MerkleStateManager()
  const put = async (index: number, balance: bigint): Promise<void> =>
    manager.putAccount(new ReferenceAddress(holderAddress(index)), new ReferenceAccount(0n, balance))
  for (let index = 0; index < accounts; index++) await put(index, BALANCE)
  let window = 0
  return medianMs(
    async () => {
      window++
      for (const index of chosen(CHANGED, accounts, window)) await put(index, BALANCE - BigInt(window))
      await manager.flush()
      await manager.getStateRoot()
    },
    { warmups: 1, windows },
  )
}

const changesOf = async ({ quick, progress }: BenchOptions): Promise<Row> => {
  const accounts = quick ? 100_000 : 1_000_000
  const referenceAccounts = quick ? 20_000 : REFERENCE_ACCOUNTS
  progress(`trie of ${accounts.toLocaleString('en')} accounts`)
  const ours = await ownMs(accounts, quick ? 5 : 7)
  progress(`@ethereumjs/statemanager of ${referenceAccounts.toLocaleString('en')} accounts`)
  const reference = await referenceMs(referenceAccounts, quick ? 3 : 5)
  return {
    name: `10,000 changed of ${accounts.toLocaleString('en')}`,
    values: {
      ours: msText(ours),
      [`@ethereumjs of ${referenceAccounts.toLocaleString('en')}`]: msText(reference),
      'speed beside @ethereumjs': timesText(reference, ours),
    },
  }
}

/** The state root of a block that changed 10,000 accounts: with the records in memory, so that only the trie is measured. */
export const benchTrie = (options: BenchOptions): Promise<void> =>
  options.row('10,000 changed accounts', () => changesOf(options))
