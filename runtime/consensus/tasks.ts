import type { Log } from '../logging/log.ts'

/** Work that consensus does not wait for: execution of blocks, writes of evidence. */
export type Tasks = {
  /** Runs a task; logs its failure. */
  readonly run: (task: Promise<void>) => void
  readonly isWorking: () => boolean
  /** Resolves when the running tasks are done. */
  readonly done: () => Promise<void>
}

export const createTasks = (log: Log): Tasks => {
  const running = new Set<Promise<void>>()
  return {
    run: task => {
      const settled: Promise<void> = task
        .catch((error: unknown) => log.error('A consensus task failed: {error}', { error }))
        .finally(() => running.delete(settled))
      running.add(settled)
    },
    isWorking: () => running.size > 0,
    done: async () => {
      await Promise.all(running)
    },
  }
}
