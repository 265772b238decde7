import { join } from 'node:path'

/** Those of one block, milliseconds since 1970. */
export type Deliveries = { readonly first: number; readonly last: number }

/** Subscribers in a process of their own. */
export type Subscribers = {
  /** Waits until each of them was told of one more block. */
  next(): Promise<Deliveries>
  close(): Promise<void>
}

/** Resolves when all of them have subscribed. */
export const startSubscribers = async (port: number, count: number): Promise<Subscribers> => {
  let told: (deliveries: Deliveries) => void = () => undefined
  const ready = Promise.withResolvers<void>()
  const child = Bun.spawn(
    [process.execPath, join(import.meta.dir, 'client.ts'), String(port), String(count)],
    {
      stdio: ['ignore', 'inherit', 'inherit'],
      ipc: (message: Deliveries | 'ready') => (message === 'ready' ? ready.resolve() : told(message)),
      onExit: () => ready.reject(new Error('the subscribers ended')),
    },
  )
  await ready.promise
  return {
    next: () =>
      new Promise(resolve => {
        told = resolve
      }),
    close: async () => {
      child.kill()
      await child.exited
    },
  }
}
