import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'

/** Nice value: about a tenth of a core beside a busy thread of normal priority, all of an idle core. */
const NICE = 10

/**
 * Lowers the priority of the current thread. Works on Linux, where priorities belong to threads and /proc gives the thread's
 * id; does nothing elsewhere.
 */
export const lowerPriority = (): void => {
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
    if (Number.isInteger(thread) && thread > 0) setPriority(thread, NICE)
  } catch {
    // Another system, or no permission: the thread keeps its normal priority.
  }
}
