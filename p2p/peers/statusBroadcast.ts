/** Minimum interval between status broadcasts. */
const BROADCAST_INTERVAL_MS = 200

export type StatusBroadcast = {
  /** Broadcasts the status now, or once the interval since the last broadcast is over. */
  request(): void
  stop(): void
}

type State = {
  sentAtMs: number
  timer: ReturnType<typeof setTimeout> | undefined
  isStopped: boolean
}

/** Broadcasts status updates to all peers, at a limited rate. */
export const createStatusBroadcast = (nowMs: () => number, broadcast: () => void): StatusBroadcast => {
  const state: State = { sentAtMs: -BROADCAST_INTERVAL_MS, timer: undefined, isStopped: false }
  return {
    request: () => {
      if (state.isStopped) return
      // A clock that was set back delays a broadcast by one interval at most.
      const remainingMs = Math.max(0, state.sentAtMs + BROADCAST_INTERVAL_MS - nowMs())
      state.timer ??= setTimeout(
        () => {
          state.timer = undefined
          state.sentAtMs = nowMs()
          broadcast()
        },
        Math.min(BROADCAST_INTERVAL_MS, remainingMs),
      )
    },
    stop: () => {
      state.isStopped = true
      clearTimeout(state.timer)
    },
  }
}
