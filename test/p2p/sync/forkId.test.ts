import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { GENESIS_TIME, openTestChain, type TestGenesis } from '../../core/chain/support/chain.ts'
import { type Key, VALIDATORS } from '../../core/chain/support/keys.ts'
import { until } from '../../support/until.ts'
import { networkedNode, type NetworkedNode } from './support/net.ts'
import { captureLog, grow, logLines } from './support/node.ts'

const [A, B] = VALIDATORS

let nodes: NetworkedNode[]

beforeEach(() => {
  captureLog()
  nodes = []
})

afterEach(async () => {
  for (const node of nodes) await node.stop()
})

/** Prague is in force this many seconds after the genesis block. */
const pragueAfter = (seconds: bigint): TestGenesis => ({
  fork: 'cancun',
  config: { pragueTime: Number(GENESIS_TIME + seconds) },
})

/** A node whose head is past the fork. */
const startPast = async (
  key: Key,
  seconds: bigint,
  options: Parameters<typeof networkedNode>[1] = {},
): Promise<NetworkedNode> => {
  const chain = await openTestChain(pragueAfter(seconds))
  await grow(chain, 5)
  const node = await networkedNode(key, { ...options, chain })
  nodes.push(node)
  return node
}

describe('given two nodes over devp2p that are past a fork by time', () => {
  test('when the fork has another time in the genesis file of one, then each refuses the other', async () => {
    const one = await startPast(A, 2n, { isOverDevp2p: true })
    const other = await startPast(B, 4n, { isOverDevp2p: true, staticNodes: [one.network.enode] })
    const hasRefused = (): boolean =>
      logLines.some(line => line.includes('was refused') && line.includes('fork'))
    await until(hasRefused)
    expect(one.network.peers()).toEqual([])
    expect(other.network.peers()).toEqual([])
  })

  test('when both have the same time, then they connect', async () => {
    const one = await startPast(A, 2n, { isOverDevp2p: true })
    const other = await startPast(B, 2n, { isOverDevp2p: true, staticNodes: [one.network.enode] })
    await until(() => one.network.peers().length === 1 && other.network.peers().length === 1)
    expect(logLines.some(line => line.includes('was refused'))).toBe(false)
  })
})

describe('given two nodes over libp2p that are past a fork by time', () => {
  test('when the fork has another time in the genesis file of one, then the log of both names the entry', async () => {
    const configuration = (seconds: bigint) => ({ pragueTime: String(GENESIS_TIME + seconds) })
    const one = await startPast(A, 2n, { configuration: configuration(2n) })
    await startPast(B, 4n, { configuration: configuration(4n), staticNodes: [one.network.enode] })
    await until(() => logLines.filter(line => /another genesis file.*pragueTime/.test(line)).length === 2)
  })
})
