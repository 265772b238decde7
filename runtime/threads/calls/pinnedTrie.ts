import type { Chain } from '../../../core/chain/chain.ts'
import { encodeChainHead } from '../../../core/store/codec/chainHead.ts'
import { type TrieSnapshot, SnapshotExpired } from '../../../core/store/trieSnapshots.ts'
import { type Answer, found } from './answerBuffer.ts'
import type { StoreRequest } from './protocol.ts'

/** The state trie of one head, held for one call. */
export type PinnedTrie = {
  /**
   * Reads a trie node at the requested head, which must be the current head or the one held by this call. Otherwise
   * answers `moved` with the newly held head, at which the call restarts.
   */
  read(request: Extract<StoreRequest, { readonly kind: 'node' }>): Answer
  /** Releases the snapshot at the end of the call. */
  release(): void
}

export const createPinnedTrie = ({ store, head }: Pick<Chain, 'store' | 'head'>): PinnedTrie => {
  let pin: (TrieSnapshot & { readonly number: bigint }) | undefined
  const release = (): void => {
    pin?.release()
    pin = undefined
  }
  const pinHead = (): void => {
    release()
    pin = { ...store.snapshotNodes(), number: head().header.number }
  }
  const moved = (): Answer => {
    pinHead()
    return { kind: 'moved', bytes: encodeChainHead(head()) }
  }
  return {
    read: ({ key, head: requested }) => {
      if (pin?.number !== requested && head().header.number === requested) pinHead()
      if (pin?.number !== requested) return moved()
      try {
        return found(pin.nodes.get(key))
      } catch (error) {
        if (!(error instanceof SnapshotExpired)) throw error
        return moved()
      }
    },
    release,
  }
}
