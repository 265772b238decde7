import { toBareHex } from '../../bytes/hex.ts'
import { type Account, MissingEntries, type StateReader } from '../../state/account.ts'
import type { TrieNodeReader } from '../../trie/nodes/node.ts'

type Reads = { readonly reader: StateReader; readonly nodes: TrieNodeReader }

/** Caches the reads of an execution over an asynchronous store, so that the execution can restart, and can pause. */
export type ReadMemo = {
  /** The same reads, with earlier results from memory. */
  over(reads: Reads): Reads
  /** Repeats the reads that missed entries, which the store has loaded for this call. */
  readMissing(): void
}

/** Creates the memo of one block, which takes no more memory than the execution itself. */
export const createReadMemo = (): ReadMemo => {
  const known = new Map<string, unknown>()
  let missing: (() => void)[] = []

  const remember = <T>(key: string, read: () => T): T => {
    if (known.has(key)) return known.get(key) as T
    try {
      const value = read()
      known.set(key, value)
      return value
    } catch (error) {
      if (error instanceof MissingEntries) missing.push(() => remember(key, read))
      throw error
    }
  }

  return {
    over: ({ reader, nodes }) => ({
      reader: {
        account: address => remember(`a${toBareHex(address)}`, () => reader.account(address)),
        storage: (address, account: Account, slot) =>
          remember(`s${toBareHex(address)}${account.incarnation}/${toBareHex(slot)}`, () =>
            reader.storage(address, account, slot),
          ),
        code: codeHash => remember(`c${toBareHex(codeHash)}`, () => reader.code(codeHash)),
      },
      nodes: { ...nodes, get: key => remember(`n${key}`, () => nodes.get(key)) },
    }),
    readMissing: () => {
      const again = missing
      missing = []
      for (const read of again) read()
    },
  }
}
