import { expect } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Cluster, createCluster } from '../support/cluster.ts'
import { foundedNow } from '../support/foundedNow.ts'
import { hashesOf, untilBlocks, untilHeads } from '../support/waiting.ts'
import { scenario } from '../../support/scenario.ts'

scenario('given four validators whose operators stop and start them', ({ beforeAll, afterAll, test }) => {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-miner-'))
  let cluster: Cluster
  const tell = (method: string, ...indexes: readonly number[]): Promise<boolean[]> =>
    Promise.all(indexes.map(index => cluster.node(index).rpc<boolean>(method)))
  const minersOf = async (from: number, to: number): Promise<ReadonlySet<string>> => {
    const numbers = Array.from({ length: to - from + 1 }, (_, i) => from + i)
    return new Set(
      (await Promise.all(numbers.map(n => cluster.block(1, n)))).map(block => block?.miner ?? ''),
    )
  }

  beforeAll(async () => {
    cluster = await createCluster({
      folder,
      validators: 4,
      nodes: 4,
      top: foundedNow(),
      args: ['--logging-format=PLAIN', '--rpc-http-api=MINER'],
    })
    await cluster.start(1, 2, 3, 4)
    await untilBlocks(cluster, 2)
  })
  afterAll(async () => {
    await cluster.end()
    rmSync(folder, { recursive: true, force: true })
  })

  test('when one is stopped then the others go on without it, and it follows', async () => {
    expect(await tell('miner_stop', 4)).toEqual([true])
    const stopped = await untilBlocks(cluster, 1)
    const later = await untilBlocks(cluster, 6)
    expect(await minersOf(stopped + 1, later)).not.toContain(cluster.address(4))
    expect(await tell('eth_mining', 1, 4)).toEqual([true, false])
  })

  test('when it is started again then it makes blocks again', async () => {
    expect(await tell('miner_start', 4)).toEqual([true])
    const started = await untilBlocks(cluster, 1)
    const later = await untilBlocks(cluster, 8)
    expect(await minersOf(started, later)).toContain(cluster.address(4))
  })

  test('when so many are stopped that blocks end then they go on once these are started', async () => {
    expect(await tell('miner_stop', 3, 4)).toEqual([true, true])
    const heads = await Promise.all([1, 2, 3, 4].map(cluster.head))
    // Long enough for rounds to be asked for in vain.
    await Bun.sleep(2_000)
    const head = Math.max(...(await Promise.all([1, 2, 3, 4].map(cluster.head))))
    expect(head).toBeLessThanOrEqual(Math.max(...heads) + 1)
    expect(await tell('miner_start', 3, 4)).toEqual([true, true])
    await untilHeads(cluster, head + 4)
    expect(await hashesOf(cluster, head + 3)).toHaveLength(1)
  })
})
