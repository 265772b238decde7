import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'

/** Beside a busy thread of ordinary priority it gets a tenth of a core, and all of one that is idle. */
const NICE = 10

/**
 * Lets the other threads of the machine go first, from now on. On Linux priorities are those of threads and the kernel tells
 * a thread its own number; elsewhere this does nothing.
 */
export const goToBackground = (): void => {
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
    if (Number.isInteger(thread) && thread > 0) setPriority(thread, NICE)
  } catch {
    // Another system, or one that does not allow it: the thread works as well, at the cost of others.
  }
}
