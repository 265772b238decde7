import type { YieldTurn } from '../../../core/scheduler.ts'
import type { Lane, Listener, Urgency } from './lanes.ts'

/** The notifications of an event for one group, as JSON in order; empty where the event does not match. */
export type Results<Event> = (event: Event) => readonly string[]

/** Listeners that receive the same notifications, by connection. */
export type Group = {
  readonly size: number
  /** @param since number of the last event before this listener. Returns the function that removes it. */
  add(listener: Listener, since: number): () => void
  /** Puts the notifications of an event into the lanes of the listeners. */
  put(results: readonly string[], event: number): void
}

export const createGroup = (urgency: Urgency): Group => {
  const lanes = new Map<Lane, Map<Listener, number>>()
  let size = 0
  return {
    get size() {
      return size
    },
    add: (listener, since) => {
      const { lane } = listener
      const listeners = lanes.get(lane) ?? new Map<Listener, number>()
      lanes.set(lane, listeners)
      listeners.set(listener, since)
      size++
      return () => {
        if (!listeners.delete(listener)) return
        size--
        if (listeners.size === 0) lanes.delete(lane)
      }
    },
    put: (results, event) => {
      for (const [lane, listeners] of lanes) lane.put({ listeners, event, results }, urgency)
    },
  }
}

/** All listeners of one kind of event. */
export type Groups<Event> = {
  readonly size: number
  /**
   * Adds a listener; returns the function that removes it. @param key shared by all listeners with the same
   * notifications. @param since number of the last event before this listener.
   */
  add(key: string, results: Results<Event>, listener: Listener, since: number): () => void
  /** Notifies all listeners: each notification is built once for all of a group. Event numbers ascend. */
  notify(event: Event, number: number, yieldTurn: YieldTurn): Promise<void>
}

type Keyed<Event> = { readonly results: Results<Event>; readonly group: Group }

export const createGroups = <Event>(urgency: Urgency): Groups<Event> => {
  const groups = new Map<string, Keyed<Event>>()
  let size = 0
  return {
    get size() {
      return size
    },
    add: (key, results, listener, since) => {
      const keyed = groups.get(key) ?? { results, group: createGroup(urgency) }
      groups.set(key, keyed)
      const remove = keyed.group.add(listener, since)
      size++
      return () => {
        remove()
        size--
        if (keyed.group.size === 0) groups.delete(key)
      }
    },
    notify: async (event, number, yieldTurn) => {
      for (const { results, group } of groups.values()) {
        group.put(results(event), number)
        const pause = yieldTurn()
        if (pause !== undefined) await pause
      }
    },
  }
}
