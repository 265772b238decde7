import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Cluster, createCluster } from './support/cluster.ts'
import { headersOf } from './support/headers.ts'
import { hashesOf, untilBlocks } from './support/waiting.ts'

setDefaultTimeout(120_000)

const CONTRACT = `0x${'c0'.repeat(20)}`
/** Counts to 2^21 and returns what the slot 1 holds: 50 million gas. */
const LOOP = '0x621fffff5b6001900380600457506001545f5260205ff3'
const ANSWER = `0x${'2a'.padStart(64, '0')}`

const CLIENTS = 200
const BLOCKS = 10
/** Blocks come each second by their timestamps; two cores with four validators and all their clients may lose so many. */
const LATE_SECONDS_MAX = 3
/**
 * A host that takes the cores away for longer costs a round, and its four seconds, here and there. Calls that held up a
 * validator would cost it its turns, two or three of the blocks of each series: then none of them is on time.
 */
const LOST_ROUNDS_MAX = 1
const SERIES_MAX = 3
const ROUND_SECONDS = 4

describe('given four validators, one of which 200 clients have run calls of 50 million gas', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-calls-'))
  let cluster: Cluster
  const load = { goes: true }
  let clients: readonly Promise<void>[] = []
  const answers: unknown[] = []

  const client = async (): Promise<void> => {
    while (load.goes) {
      const answer = await cluster
        .node(1)
        .rpc('eth_call', { to: CONTRACT, gas: '0x5f5e100' }, 'latest')
        .catch((error: unknown) => error)
      if (load.goes) answers.push(answer)
    }
  }

  beforeAll(async () => {
    cluster = await createCluster({
      folder,
      validators: 4,
      nodes: 4,
      // A host that takes the cores away for a second must not look like a validator that is held up: its pace shows that.
      qbft: { xblockperiodmilliseconds: 1000, requesttimeoutseconds: ROUND_SECONDS },
      config: { shanghaiTime: 0 },
      top: {
        gasLimit: '0x5f5e100',
        alloc: { [CONTRACT]: { balance: '0x0', code: LOOP, storage: { '0x1': '0x2a' } } },
      },
    })
    await cluster.start(1, 2, 3, 4)
    await untilBlocks(cluster, 2)
    clients = Array.from({ length: CLIENTS }, client)
  })

  afterAll(async () => {
    load.goes = false
    await cluster.end()
    await Promise.all(clients)
    rmSync(folder, { recursive: true })
  })

  type Series = {
    readonly blocks: number
    readonly seconds: number
    readonly lost: number
    readonly hasItsBlocks: boolean
  }

  const nextSeries = async (): Promise<Series> => {
    const first = await untilBlocks(cluster, 2)
    const last = await untilBlocks(cluster, BLOCKS)
    const headers = (await headersOf(cluster.node(1), last)).slice(first)
    expect(await hashesOf(cluster, last)).toHaveLength(1)
    return {
      blocks: last - first,
      seconds: (headers.at(-1)?.timestamp ?? 0) - (headers[0]?.timestamp ?? 0),
      lost: headers.reduce((sum, { round }) => sum + round, 0),
      hasItsBlocks: headers.some(({ miner }) => miner === cluster.address(1)),
    }
  }

  const isOnTime = ({ blocks, seconds, lost, hasItsBlocks }: Series): boolean =>
    hasItsBlocks && lost <= LOST_ROUNDS_MAX && seconds <= blocks + LATE_SECONDS_MAX + lost * ROUND_SECONDS

  test('when they call without a pause, then blocks come on time in the first round, from that one, too', async () => {
    const all: Series[] = []
    while (all.length < SERIES_MAX && !all.some(isOnTime)) all.push(await nextSeries())
    expect(all.filter(isOnTime), JSON.stringify(all)).not.toEqual([])
  })

  test('when they call without a pause, then the calls are answered', () => {
    expect(answers.length).toBeGreaterThan(0)
    expect(answers.filter(answer => answer !== ANSWER)).toEqual([])
  })
})
