import type { RpcHost } from '../context.ts'
import type { SyncingStatus } from '../../../core/chain/syncingStatus.ts'
import { syncingShape } from '../shapes/node.ts'
import { createGroup } from './groups.ts'
import type { Listener } from './lanes.ts'

/** Interval between checks of the sync status. */
const POLL_MS = 250

/** Notifies listeners when a sync starts and when it ends. */
export type SyncFeed = { listen(listener: Listener): () => void }

export const createSyncFeed = ({ syncing }: Pick<RpcHost, 'syncing'>): SyncFeed => {
  const group = createGroup('prompt')
  /** Number of changes. */
  let changes = 0
  let timer: ReturnType<typeof setInterval> | undefined
  let last: SyncingStatus | undefined

  const poll = (): void => {
    const status = syncing()
    const changed = (status === undefined) !== (last === undefined)
    last = status
    if (!changed) return
    group.put([JSON.stringify(syncingShape(status))], ++changes)
  }

  return {
    listen: listener => {
      if (group.size === 0) {
        last = syncing()
        timer = setInterval(poll, POLL_MS)
      }
      const remove = group.add(listener, changes)
      return () => {
        remove()
        if (group.size === 0) clearInterval(timer)
      }
    },
  }
}
