import { until as untilHolds } from '../../support/until.ts'
import type { Cluster } from './cluster.ts'

/**
 * A hang ends as a failure that says what was waited for; no test asserts how long something took. Some lines of the log
 * come once a minute.
 */
const WAIT_MS_MAX = 75_000
const POLL_MS = 50

/** Resolves to the first result of the check that is not false or undefined, asked of running nodes. */
export const until = <T>(what: string, check: () => Promise<T>): Promise<Exclude<T, undefined | false>> =>
  untilHolds(check, { what, timeoutMs: WAIT_MS_MAX, pollMs: POLL_MS })

/** Waits until each of the nodes has this block, or a later one. */
export const untilHeads = (cluster: Cluster, number: number, indexes = cluster.running()): Promise<boolean> =>
  until(`block ${number} on nodes ${indexes.join(', ')}`, async () => {
    const heads = await Promise.all(indexes.map(cluster.head))
    return heads.every(head => head >= number)
  })

/** Waits for `count` more blocks than the highest node has now, on all nodes that run; gives the new number. */
export const untilBlocks = async (cluster: Cluster, count: number): Promise<number> => {
  const heads = await Promise.all(cluster.running().map(cluster.head))
  const number = Math.max(...heads) + count
  await untilHeads(cluster, number)
  return number
}

/** The hashes that the nodes that run give for a block: one, when they agree. */
export const hashesOf = async (cluster: Cluster, number: number): Promise<readonly string[]> => {
  const blocks = await Promise.all(cluster.running().map(index => cluster.block(index, number)))
  return [...new Set(blocks.map(block => block?.hash ?? 'missing'))]
}
