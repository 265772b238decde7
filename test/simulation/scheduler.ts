type Event = { readonly atMs: number; readonly order: number; readonly run: () => void }

/** Virtual time: what is to happen, in the order of its moments, and of asking where those are the same. */
export type Scheduler = {
  /** Milliseconds since the simulation began. */
  nowMs(): number
  after(delayMs: number, run: () => void): void
  /** Lets the next event happen; false when there is none. */
  step(): boolean
}

const isBefore = (a: Event, b: Event): boolean => a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order)

/** A binary heap of events. */
export const createScheduler = (): Scheduler => {
  const heap: Event[] = []
  let nowMs = 0
  let asked = 0

  const swap = (a: number, b: number): void => {
    const kept = heap[a] as Event
    heap[a] = heap[b] as Event
    heap[b] = kept
  }

  const rise = (from: number): void => {
    for (let child = from; child > 0; ) {
      const parent = (child - 1) >> 1
      if (!isBefore(heap[child] as Event, heap[parent] as Event)) return
      swap(child, parent)
      child = parent
    }
  }

  const sink = (): void => {
    for (let parent = 0; ; ) {
      const left = 2 * parent + 1
      if (left >= heap.length) return
      const right = left + 1
      const first = right < heap.length && isBefore(heap[right] as Event, heap[left] as Event) ? right : left
      if (!isBefore(heap[first] as Event, heap[parent] as Event)) return
      swap(parent, first)
      parent = first
    }
  }

  return {
    nowMs: () => nowMs,
    after: (delayMs, run) => {
      heap.push({ atMs: nowMs + Math.max(0, Math.ceil(delayMs)), order: asked++, run })
      rise(heap.length - 1)
    },
    step: () => {
      const next = heap[0]
      if (next === undefined) return false
      const last = heap.pop() as Event
      if (heap.length > 0) {
        heap[0] = last
        sink()
      }
      nowMs = next.atMs
      next.run()
      return true
    },
  }
}
