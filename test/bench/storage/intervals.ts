import type { NodeProcess } from '../../runtime/nodeProcess.ts'
import { median } from '../measure.ts'

const POLL_MS = 2

/** Milliseconds between the next blocks of a node. */
export const intervals = async (node: NodeProcess, count: number): Promise<readonly number[]> => {
  const times: number[] = []
  let last = await node.rpc<string>('eth_blockNumber')
  while (times.length <= count) {
    await Bun.sleep(POLL_MS)
    const number = await node.rpc<string>('eth_blockNumber')
    if (number !== last) times.push(performance.now())
    last = number
  }
  return times.slice(1).map((time, index) => time - (times[index] as number))
}

/** Median and longest. */
export const intervalText = (values: readonly number[]): string =>
  `${median(values).toFixed(0)} / ${Math.max(...values).toFixed(0)}`
