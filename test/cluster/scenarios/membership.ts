import { expect } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Cluster, createCluster } from '../support/cluster.ts'
import { hashesOf, until, untilBlocks, untilHeads } from '../support/waiting.ts'
import { scenario } from '../../support/scenario.ts'

/** Votes are forgotten so often: those of the tests must be cast again from what stands. */
const EPOCH_LENGTH = 16

scenario('given four validators and a fifth node, and their operators', ({ beforeAll, afterAll, test }) => {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-cluster-'))
  let cluster: Cluster

  const vote = (isAdd: boolean, voters: readonly number[]): Promise<unknown> =>
    Promise.all(
      voters.map(index => cluster.node(index).rpc('qbft_proposeValidatorVote', cluster.address(5), isAdd)),
    )
  const tell = (method: string, ...indexes: readonly number[]): Promise<boolean[]> =>
    Promise.all(indexes.map(index => cluster.node(index).rpc<boolean>(method)))
  const minersOf = async (from: number, to: number): Promise<ReadonlySet<string>> => {
    const numbers = Array.from({ length: to - from + 1 }, (_, i) => from + i)
    return new Set(
      (await Promise.all(numbers.map(n => cluster.block(1, n)))).map(block => block?.miner ?? ''),
    )
  }
  const validators = (): Promise<readonly string[]> =>
    cluster.node(1).rpc('qbft_getValidatorsByBlockNumber', 'pending')

  beforeAll(async () => {
    cluster = await createCluster({
      folder,
      validators: 4,
      nodes: 5,
      qbft: { epochlength: EPOCH_LENGTH },
      args: ['--logging-format=PLAIN', '--rpc-http-api=MINER'],
    })
    await cluster.start(1, 2, 3, 4, 5)
    await untilBlocks(cluster, 1)
  })

  afterAll(async () => {
    await cluster.end()
    rmSync(folder, { recursive: true, force: true })
  })

  test('when two of four want the fifth, then it stays outside, past an epoch and a restart of one of them', async () => {
    await vote(true, [1, 2])
    await untilBlocks(cluster, EPOCH_LENGTH + 4)
    await cluster.kill(2)
    await cluster.start(2)
    expect(await cluster.node(2).rpc('qbft_getPendingVotes')).toEqual({ [cluster.address(5)]: true })
    expect(await validators()).toHaveLength(4)
  })

  test('when a third wants it too, then it becomes a validator and makes blocks', async () => {
    await vote(true, [3])
    await until('five validators', async () => (await validators()).length === 5)
    const own = cluster.address(5)
    await until('a block of the fifth', async () => (await cluster.block(1, 'latest'))?.miner === own)
    const number = await untilBlocks(cluster, 1)
    expect(await hashesOf(cluster, number)).toHaveLength(1)
  })

  test('when three want it out, then it makes no more, and follows', async () => {
    const timesTold = (): number =>
      cluster.node(5).output().split('is not one of the 4 validators: it follows the chain').length
    const before = timesTold()
    await vote(false, [1, 2, 3])
    await until('four validators', async () => (await validators()).length === 4)
    const number = await untilBlocks(cluster, 6)
    expect(await hashesOf(cluster, number)).toHaveLength(1)
    const makers = await Promise.all(
      [0, 1, 2, 3].map(async back => (await cluster.block(5, number - back))?.miner),
    )
    expect(makers).not.toContain(cluster.address(5))
    await until('a line that says so', async () => timesTold() > before)
  })

  test('when one is told to make no blocks, then the others go on without it, and it follows', async () => {
    expect(await tell('miner_stop', 4)).toEqual([true])
    const stopped = await untilBlocks(cluster, 1)
    const later = await untilBlocks(cluster, 6)
    expect(await minersOf(stopped + 1, later)).not.toContain(cluster.address(4))
    expect(await tell('eth_mining', 1, 4)).toEqual([true, false])
  })

  test('when it is told to make them again, then it does', async () => {
    expect(await tell('miner_start', 4)).toEqual([true])
    const started = await untilBlocks(cluster, 1)
    const later = await untilBlocks(cluster, 8)
    expect(await minersOf(started, later)).toContain(cluster.address(4))
  })

  test('when so many make none that blocks end, then they go on once these are told to make them', async () => {
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
