import type { RpcHost } from '../context.ts'
import type { SyncingStatus } from '../../../core/chain/syncingStatus.ts'
import { syncingShape } from '../shapes/node.ts'
import type { Listener } from './groups.ts'

/** Interval between checks of the sync status. */
const POLL_MS = 250

/** Notifies listeners when a sync starts and when it ends. */
export type SyncFeed = { listen(listener: Listener): () => void }

export const createSyncFeed = ({ syncing }: Pick<RpcHost, 'syncing'>): SyncFeed => {
  const listeners = new Set<Listener>()
  let timer: ReturnType<typeof setInterval> | undefined
  let last: SyncingStatus | undefined

  const poll = (): void => {
    const status = syncing()
    const changed = (status === undefined) !== (last === undefined)
    last = status
    if (!changed) return
    const result = JSON.stringify(syncingShape(status))
    for (const listener of listeners) listener.notify(result)
  }

  return {
    listen: listener => {
      if (listeners.size === 0) {
        last = syncing()
        timer = setInterval(poll, POLL_MS)
      }
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) clearInterval(timer)
      }
    },
  }
}
