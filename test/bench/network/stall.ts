/**
 * A network that makes no block for this long is stalled. Twenty validators on two cores take half a minute for a block of 4,000
 * transactions.
 */
export const STALLED_MS = 180_000

/** The network makes no blocks any more. */
export class NetworkStalled extends Error {
  override readonly name = 'NetworkStalled'
  readonly code = 'NETWORK_STALLED'
  constructor(head: number, stalledMs: number) {
    super(`no block after block ${head} for ${stalledMs / 1000} s`)
  }
}

/** A check to call with the head again and again. It throws NetworkStalled once the head has stayed the same for `stalledMs`. */
export const createStallCheck = (stalledMs = STALLED_MS): ((head: number) => void) => {
  let last = -1
  let sinceMs = performance.now()
  return head => {
    const nowMs = performance.now()
    if (head !== last) [last, sinceMs] = [head, nowMs]
    else if (nowMs - sinceMs > stalledMs) throw new NetworkStalled(head, stalledMs)
  }
}
