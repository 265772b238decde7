import { startThread, type Thread, type ThreadOptions } from '../startThread.ts'

/** Timeout for a stopping thread to load its engine and finish its chunks, which takes a fraction of a second. */
const STOP_MS_MAX = 10_000

/** A worker thread that recovers encoded signatures, one chunk at a time. It is terminated only when it is idle. */
export type RecoveryThread = Thread<Uint8Array<ArrayBuffer>>

export const startRecoveryThread = (
  events: Pick<ThreadOptions<Uint8Array>, 'onReady' | 'onMessage' | 'onFailure'>,
): RecoveryThread =>
  startThread('recovery thread', new URL('./worker.ts', import.meta.url), {
    ...events,
    stopMsMax: STOP_MS_MAX,
  })
