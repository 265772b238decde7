import { parentPort } from 'node:worker_threads'
import { type WatchedNode, watch } from './watch.ts'

export type WatchOrder =
  | { readonly kind: 'nodes'; readonly nodes: readonly WatchedNode[] }
  | { readonly kind: 'stop' }

// The attack keeps its own thread busy: what it measured there would be its own delay.
let watching: ReturnType<typeof watch> | undefined

const follow = async (order: WatchOrder): Promise<void> => {
  if (order.kind === 'nodes') {
    watching ??= watch(order.nodes)
    const { state } = await watching
    state.nodes = order.nodes
    return
  }
  parentPort?.postMessage(await (await watching)?.stop(), [])
}

parentPort?.on('message', (order: WatchOrder) => void follow(order))
