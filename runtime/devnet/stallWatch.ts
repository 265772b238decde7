import { callNode } from '../doctor/callNode.ts'
import { PRINT_INTERVAL_MS } from './healthWatch.ts'

/** Interval between status requests. */
const POLL_MS = 1_000

type Status = { readonly status?: string; readonly explanation?: string | null; readonly heard?: number }

const statusOf = async (url: string): Promise<Status | undefined> => {
  try {
    return (await callNode({ url, token: undefined }, 'qbft_getStatus')) as Status
  } catch {
    // The node has ended or is suspended; another one may answer.
    return undefined
  }
}

/** The status of the chain: a node that just started hears few others, so the one that hears most knows best. */
const bestStatus = async (urls: readonly string[]): Promise<Status | undefined> => {
  const statuses = (await Promise.all(urls.map(statusOf))).filter(status => status !== undefined)
  const running = statuses.find(({ status }) => status !== 'stalled')
  return running ?? statuses.sort((a, b) => (b.heard ?? 0) - (a.heard ?? 0))[0]
}

const timeText = (): string => new Date().toTimeString().slice(0, 8)

/**
 * Prints when and why blocks stop, with the sentence of qbft_getStatus, and when they continue.
 * @param urls JSON-RPC of the validators.
 * @returns the function that stops it
 */
export const watchStalls = (
  urls: readonly string[],
  print: (line: string) => void,
  { pollMs = POLL_MS }: { readonly pollMs?: number } = {},
): (() => void) => {
  const controller = new AbortController()
  const { signal } = controller
  let isStalled = false
  let printedMs = 0

  const check = async (): Promise<void> => {
    const status = await bestStatus(urls)
    if (signal.aborted || status === undefined) return
    const { explanation } = status
    const nowMs = performance.now()
    if (status.status !== 'stalled') {
      if (isStalled) print(`${timeText()} Blocks continue.`)
      isStalled = false
    } else if (!isStalled || nowMs - printedMs >= PRINT_INTERVAL_MS) {
      print(`${timeText()} Blocks have stopped. ${explanation ?? ''}`.trimEnd())
      isStalled = true
      printedMs = nowMs
    }
  }
  const poll = async (): Promise<void> => {
    while (!signal.aborted) {
      await check()
      await new Promise(resolve => setTimeout(resolve, pollMs))
    }
  }
  void poll()
  return () => controller.abort()
}
