import type { TrieNodeReader, TrieNodeWrite } from '../trie/node.ts'

/** Records kept for one pin: what some hundred full blocks overwrite, 30 MB. */
export const PINNED_NODES_MAX = 100_000

/** The trie records of one head, whatever is committed after it. */
export type NodePin = {
  /** @throws NodesGone when more was overwritten than is kept */
  readonly nodes: TrieNodeReader
  /** Nobody reads them any more. */
  readonly release: () => void
}

export type NodePins = {
  take(): NodePin
  /** Before a block changes these records. */
  keep(writes: readonly TrieNodeWrite[]): void
}

type Kept = { readonly before: Map<string, Uint8Array | undefined>; gone: boolean }

/** @param nodes the records of the head */
export const createNodePins = (nodes: TrieNodeReader): NodePins => {
  const pins = new Set<Kept>()

  const keepFor = (pin: Kept, writes: readonly TrieNodeWrite[]): void => {
    if (pin.before.size + writes.length > PINNED_NODES_MAX) throw new NodesGone()
    for (const { key } of writes) if (!pin.before.has(key)) pin.before.set(key, nodes.get(key))
  }

  return {
    take: () => {
      const pin: Kept = { before: new Map(), gone: false }
      pins.add(pin)
      const get = (key: string): Uint8Array | undefined => {
        if (pin.gone) throw new NodesGone()
        return pin.before.has(key) ? pin.before.get(key) : nodes.get(key)
      }
      return { nodes: { get }, release: () => void pins.delete(pin) }
    },
    keep: writes => {
      for (const pin of pins) {
        try {
          keepFor(pin, writes)
        } catch {
          // Too many, or a store that must load them first: whoever pinned them begins again, and the block goes on.
          pin.gone = true
          pin.before.clear()
          pins.delete(pin)
        }
      }
    },
  }
}

/** The records of that head are no longer there. */
export class NodesGone extends Error {
  override readonly name = 'NodesGone'
  readonly code = 'NODES_GONE'
  constructor() {
    super('the trie records of an earlier head are no longer kept; read those of the head again')
  }
}
