import type { Chain } from '../../../core/chain/chain.ts'
import { encodeChainHead } from '../../../core/store/codec/chainHead.ts'
import { type NodeSnapshot, SnapshotExpired } from '../../../core/store/nodeSnapshots.ts'
import { type Answer, found } from './answerBuffer.ts'
import type { Ask } from './protocol.ts'

/** The trie that one call reads, of one head. */
export type PinnedTrie = {
  /**
   * A record of the trie at the head that is asked for: while that is the head, and then for as long as the call goes on.
   * Where it is neither, `moved` with the head that is pinned instead: with that the call begins again.
   */
  read(ask: Extract<Ask, { readonly kind: 'node' }>): Answer
  /** The call is over. */
  release(): void
}

export const createPinnedTrie = ({ store, head }: Pick<Chain, 'store' | 'head'>): PinnedTrie => {
  let pin: (NodeSnapshot & { readonly number: bigint }) | undefined
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
    read: ({ key, head: asked }) => {
      if (pin?.number !== asked && head().header.number === asked) pinHead()
      if (pin?.number !== asked) return moved()
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
