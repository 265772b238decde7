import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Cluster } from '../cluster/support/cluster.ts'
import type { Watched } from './watch.ts'
import type { WatchOrder } from './watchThread.ts'

/** Interval between two lists of the nodes that run. */
const LIST_INTERVAL_MS = 100

/** Watches the nodes of a cluster on a thread of its own, whichever run, until it is stopped. */
export const startWatch = (cluster: Cluster) => {
  const thread = new Worker(new URL('./watchThread.ts', import.meta.url))
  const tell = (order: WatchOrder): void => thread.postMessage(order, [])
  const list = (): void =>
    tell({
      kind: 'nodes',
      nodes: cluster.running().map(index => {
        const { url, pid, headers } = cluster.node(index)
        return { url, pid, headers }
      }),
    })
  list()
  const timer = setInterval(list, LIST_INTERVAL_MS)
  const stop = async (): Promise<Watched> => {
    clearInterval(timer)
    const watched = once(thread, 'message')
    tell({ kind: 'stop' })
    const [result] = (await watched) as [Watched]
    await thread.terminate()
    return result
  }
  return { stop }
}
