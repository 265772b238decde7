import { memoryOf } from '../cluster/support/memory.ts'

const CHECK_INTERVAL_MS = 50
const ANSWER_INTERVAL_MS = 200

export type WatchedNode = {
  readonly url: string
  readonly pid: number
  readonly headers: Readonly<Record<string, string>>
}

export type Watched = {
  readonly blocks: number
  readonly medianGapMs: number
  readonly longestGapMs: number
  readonly longestAnswerMs: number
  readonly growthMb: number
}

export type WatchState = {
  isRunning: boolean
  /** Those that run now. */
  nodes: readonly WatchedNode[]
  head: number
  lastBlockMs: number
  readonly gapsMs: number[]
  longestAnswerMs: number
  /** Resident bytes of each process when it was first seen. */
  readonly firstBytes: Map<number, number>
  growthBytes: number
}

const call = async ({ url, headers }: WatchedNode, method: string): Promise<unknown> => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] })
  const response = await fetch(url, { method: 'POST', headers, body })
  return ((await response.json()) as { readonly result?: unknown }).result
}

const headOf = async (node: WatchedNode): Promise<number> =>
  Number((await call(node, 'eth_blockNumber')) ?? 0)

const highestHead = async (nodes: readonly WatchedNode[]): Promise<number> => {
  // A node that is killed meanwhile has no head.
  const heads = await Promise.all(nodes.map(node => headOf(node).catch(() => 0)))
  return Math.max(0, ...heads)
}

const watchHeads = async (state: WatchState): Promise<void> => {
  while (state.isRunning) {
    const head = await highestHead(state.nodes)
    if (head > state.head) {
      const nowMs = performance.now()
      state.gapsMs.push(nowMs - state.lastBlockMs)
      state.lastBlockMs = nowMs
      state.head = head
    }
    await Bun.sleep(CHECK_INTERVAL_MS)
  }
}

const answerMs = async (node: WatchedNode): Promise<number> => {
  const startMs = performance.now()
  await Promise.all([call(node, 'eth_chainId'), fetch(`${node.url}/liveness`)])
  return performance.now() - startMs
}

const watchAnswers = async (state: WatchState): Promise<void> => {
  while (state.isRunning) {
    const times = await Promise.all(
      // A node that is killed meanwhile does not count.
      state.nodes.map(node => answerMs(node).catch(() => 0)),
    )
    state.longestAnswerMs = Math.max(state.longestAnswerMs, ...times)
    await Bun.sleep(ANSWER_INTERVAL_MS)
  }
}

const watchMemory = async (state: WatchState): Promise<void> => {
  while (state.isRunning) {
    for (const { pid } of state.nodes)
      try {
        const bytes = memoryOf(pid)
        const first = state.firstBytes.get(pid)
        if (first === undefined) state.firstBytes.set(pid, bytes)
        else state.growthBytes = Math.max(state.growthBytes, bytes - first)
      } catch {
        // The process has just ended.
      }
    await Bun.sleep(ANSWER_INTERVAL_MS)
  }
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Infinity

/** Watches the heads, answers and memory of the nodes that `state` lists until it is stopped. */
export const watch = async (nodes: readonly WatchedNode[]) => {
  const state: WatchState = {
    isRunning: true,
    nodes,
    head: await highestHead(nodes),
    lastBlockMs: performance.now(),
    gapsMs: [],
    longestAnswerMs: 0,
    firstBytes: new Map(),
    growthBytes: 0,
  }
  const running = [watchHeads(state), watchAnswers(state), watchMemory(state)]
  const stop = async (): Promise<Watched> => {
    state.isRunning = false
    await Promise.all(running)
    // Blocks that do not come any more count as a gap, too.
    const gapsMs = [...state.gapsMs, performance.now() - state.lastBlockMs]
    return {
      blocks: state.gapsMs.length,
      medianGapMs: median(state.gapsMs),
      longestGapMs: Math.max(...gapsMs),
      longestAnswerMs: state.longestAnswerMs,
      growthMb: state.growthBytes / 1e6,
    }
  }
  return { state, stop }
}
