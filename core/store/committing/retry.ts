import { headNumberOf } from '../chainMemory.ts'
import { runFlush } from '../flushing/runFlush.ts'
import { ROOM_KEY } from '../keys.ts'
import { ROOM_BYTES } from '../limits.ts'
import { checkSegment } from '../segments/segmentParts.ts'
import { StoreFailed } from '../storeFailed.ts'
import type { StoreState } from '../storeState.ts'

/** Checks that the segments above the views are stored: a recovery may have lost them, and memory cannot restore them. */
const requireSegments = async ({ kv, memory }: StoreState): Promise<void> => {
  for (let number = memory.views.flushedHeight + 1; number <= headNumberOf(memory); number++) {
    if ((await checkSegment(kv, number)) !== 'whole')
      throw new StoreFailed(
        'recover from a failed write',
        new Error(`block ${number} is no longer stored`),
        'restart',
      )
    await kv.pause()
  }
}

const recoverFrom = async (store: StoreState, failed: StoreFailed): Promise<void> => {
  if (failed.remedy === 'restart') throw failed
  const { kv, memory, segments, failures } = store
  await Promise.allSettled([store.flushing, memory.adding, store.writing, store.removal.running])
  try {
    await kv.recover?.()
    await kv.setDurably({ key: ROOM_KEY, value: new Uint8Array(ROOM_BYTES) })
    await kv.set([{ key: ROOM_KEY, value: undefined }])
    segments.reset()
    await segments.write()
    await requireSegments(store)
    if (store.flush !== undefined) await runFlush(store, store.flush)
  } catch (cause) {
    failures.current = cause instanceof StoreFailed ? cause : new StoreFailed('be written to again', cause)
    throw failures.current
  }
  store.writing = undefined
  failures.current = undefined
  store.logs.resume()
  store.removal.advance()
}

/** As ChainStore.retry. @throws StoreFailed */
export const retry = async (store: StoreState): Promise<void> => {
  const { current } = store.failures
  if (current === undefined || store.closed) return
  store.retrying ??= recoverFrom(store, current).finally(() => {
    store.retrying = undefined
  })
  await store.retrying
}
