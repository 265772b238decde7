import { afterEach, beforeEach } from 'bun:test'
import type { Key } from '../../../core/chain/support/keys.ts'
import { captureLog, type NodeOptions, type WiredNode, wireNode } from './node.ts'
import { createWire, type Wire, type WireHandlers } from './wire.ts'

export type WiredTest = {
  readonly wire: Pick<Wire, 'connect' | 'disconnect'>
  /** A node on the wire, which ends with the test; `handlers` replace its own. */
  readonly node: (
    key: Key,
    options?: NodeOptions & { readonly handlers?: Partial<WireHandlers> },
  ) => Promise<WiredNode>
}

/** Gives each test of a file its own wire and an empty log. */
export const wireEachTest = (): WiredTest => {
  let wire = createWire(Date.now)
  let nodes: WiredNode[] = []

  beforeEach(() => {
    captureLog()
    wire = createWire(Date.now)
    nodes = []
  })
  afterEach(async () => {
    for (const { sync, network } of nodes) {
      await sync.stop()
      await network.stop()
    }
  })
  return {
    wire: {
      connect: (a, b) => wire.connect(a, b),
      disconnect: (a, b) => wire.disconnect(a, b),
    },
    node: async (key, options) => {
      const made = await wireNode(wire, key, options)
      nodes.push(made)
      return made
    },
  }
}
