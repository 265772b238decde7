import type { YieldTurn } from '../../../core/scheduler.ts'

export type Listener = {
  /** @param result JSON text. */
  readonly notify: (result: string) => void
}

/** The notifications of an event for one group, as JSON in order; empty where the event does not match. */
export type Results<Event> = (event: Event) => readonly string[] | Promise<readonly string[]>

/** Listeners that receive the same notification for an event: it is built once for all of them. */
type Group<Event> = {
  readonly results: Results<Event>
  /** Listeners with the number of the last event before they were added. */
  readonly listeners: Map<Listener, number>
}

/** All listeners of one kind of event. */
export type Groups<Event> = {
  readonly size: number
  /**
   * Adds a listener; returns the function that removes it. @param key shared by all listeners with the same
   * notifications. @param since number of the last event before this listener.
   */
  add(key: string, results: Results<Event>, listener: Listener, since: number): () => void
  /**
   * Notifies all listeners, with pauses so that a thousand of them do not block the event loop. Event numbers ascend.
   */
  notify(event: Event, number: number, yieldTurn: YieldTurn): Promise<void>
}

export const createGroups = <Event>(): Groups<Event> => {
  const groups = new Map<string, Group<Event>>()
  let size = 0
  return {
    get size() {
      return size
    },
    add: (key, results, listener, since) => {
      const group = groups.get(key) ?? { results, listeners: new Map() }
      groups.set(key, group)
      group.listeners.set(listener, since)
      size++
      return () => {
        if (!group.listeners.delete(listener)) return
        size--
        if (group.listeners.size === 0) groups.delete(key)
      }
    },
    notify: async (event, number, yieldTurn) => {
      for (const { results, listeners } of groups.values()) {
        const texts = results(event)
        for (const result of texts instanceof Promise ? await texts : texts)
          for (const [listener, since] of listeners) {
            if (since < number) listener.notify(result)
            const pause = yieldTurn()
            if (pause !== undefined) await pause
          }
        const pause = yieldTurn()
        if (pause !== undefined) await pause
      }
    },
  }
}
