import { describe, expect, test } from 'bun:test'
import { qbftBlockHash } from '../../../core/block/codec/blockHash.ts'
import type { Header } from '../../../core/block/header.ts'
import { encodeKeys, encodeWrite } from '../../../core/store/codec/entries.ts'
import { REPLICA_KEY } from '../../../core/store/keys.ts'
import type { KeyValueEntry } from '../../../core/store/keyvalue/keyvalue.ts'
import { encodeReplicaHead } from '../../../core/store/replica/replicaHead.ts'
import { createHeadTrust, headerSource } from '../../../runtime/read/headTrust.ts'
import { answerStore } from '../../../runtime/workers/storeRoute.ts'
import { consensus, headerOn, sealedChain } from '../../support/chains/sealedChain.ts'
import { sharedMemory } from '../../support/stores/replica.ts'

const SECRET = 'a secret of this deployment'
const chain = sealedChain(6)

const headOf = (header: Header) => ({
  header,
  hash: qbftBlockHash(header),
  totalDifficulty: header.number + 1n,
})
const GENESIS = headOf(chain[0] as Header)

const storedHead = (header: Header, sequence: number, genesisHash = GENESIS.hash): Uint8Array =>
  encodeReplicaHead({
    contents: 'chain',
    sequence,
    writer: new Uint8Array(16),
    genesisHash,
    logSections: 0,
    head: headOf(header),
  })

/** The route over a store in memory, which verifies heads from the genesis block. */
const openRoute = (secret: string | undefined = SECRET) => {
  if (consensus.kind !== 'qbft') throw new Error('the chain is not QBFT')
  const kv = sharedMemory()
  const trust = createHeadTrust(
    { consensus, read: headerSource(kv), callContract: () => Promise.reject(new Error('no contract')) },
    GENESIS,
    undefined,
  )
  const post = async (
    what: string,
    body: Uint8Array | ReadableStream,
    given: string | undefined = SECRET,
  ): Promise<readonly [status: number, text: string]> => {
    const init: RequestInit = {
      method: 'POST',
      headers: { authorization: `Bearer ${given}` },
      body: body instanceof Uint8Array ? new Uint8Array(body) : body,
    }
    const route = { kv, secret, genesisHash: GENESIS.hash, verify: trust.verify }
    const response = await answerStore(new Request('http://localhost/store', init), what, route)
    return [response.status, await response.text()]
  }
  const write = (before: Uint8Array | undefined, ...entries: readonly KeyValueEntry[]) =>
    post('write', encodeWrite({ key: REPLICA_KEY, value: before, entries }))
  return { kv, post, write }
}

const head = (value: Uint8Array): KeyValueEntry => ({ key: REPLICA_KEY, value })
const [first, second, third] = [1, 2, 3].map(number => storedHead(chain[number] as Header, number)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
]

describe('the route that fills the store of a Worker', () => {
  test('given no secret of the deployment, or a short one, then the answer says what to set', async () => {
    for (const secret of ['', 'short'])
      expect(await openRoute(secret).post('read', encodeKeys(['a:1']), secret)).toEqual([
        503,
        expect.stringContaining('set its secret STORE_SECRET, of 16 characters or more') as string,
      ])
  })

  test('given another secret, then the body is not read', async () => {
    let reads = 0
    const body = new ReadableStream(
      { pull: controller => (reads++, controller.enqueue(new Uint8Array(1024 * 1024))) },
      { highWaterMark: 0 },
    )
    expect(await openRoute().post('write', body, `${SECRET}.`)).toMatchObject([401, expect.any(String)])
    expect(reads).toBe(0)
  })

  test('given a body without an end, then it is refused, and read no further', async () => {
    let reads = 0
    const body = new ReadableStream(
      { pull: controller => (reads++, controller.enqueue(new Uint8Array(1024 * 1024))) },
      { highWaterMark: 0 },
    )
    const [status, text] = await openRoute().post('write', body)
    expect([status, text]).toMatchObject([413, expect.stringContaining('PostgreSQL') as string])
    expect(reads).toBeLessThan(40)
  })

  test('given writes in order, then each is stored; a repeated one and one out of sequence are not', async () => {
    const { kv, write } = openRoute()
    expect((await write(undefined, head(first)))[0]).toBe(204)
    expect((await write(first, head(second)))[0]).toBe(204)
    expect(await write(first, head(second))).toMatchObject([
      409,
      expect.stringContaining('sequence') as string,
    ])
    expect((await write(second, head(storedHead(chain[3] as Header, 2))))[0]).toBe(409)
    expect((await write(second, head(storedHead(chain[1] as Header, 9))))[0]).toBe(409)
    expect((await write(first, head(third)))[0]).toBe(409)
    expect((await write(second, head(storedHead(chain[3] as Header, 9, new Uint8Array(32)))))[0]).toBe(409)
    expect(await kv.get(REPLICA_KEY)).toEqual(second)
  })

  test('given a head that nobody sealed, alone or behind a right one, then it is refused', async () => {
    const { kv, write } = openRoute()
    await write(undefined, head(first))
    const forged = storedHead(headerOn(chain[1], { validators: [6, 7, 8, 9], proposer: 6 }), 2)
    expect((await write(first, head(forged)))[0]).toBe(422)
    expect((await write(first, head(second), head(forged)))[0]).toBe(400)
    expect((await write(first, head(forged), head(second)))[0]).toBe(400)
    expect(await kv.get(REPLICA_KEY)).toEqual(first)
  })

  test('given bodies that are no write, then they are refused with 400', async () => {
    const { post, write } = openRoute()
    const whole = encodeWrite({ key: REPLICA_KEY, value: undefined, entries: [head(first)] })
    for (const body of [
      new Uint8Array(0),
      whole.subarray(0, whole.length - 1),
      Uint8Array.of(255, 255, 255, 255, 255, 255, 255, 255),
      new Uint8Array(100).fill(0xff),
    ])
      expect((await post('write', body))[0]).toBe(400)
    expect((await write(undefined, { key: 'a:1', value: Uint8Array.of(1) }))[0]).toBe(400)
    expect((await write(undefined, head(first.slice(0, -1))))[0]).toBe(400)
    expect((await write(undefined, { key: REPLICA_KEY, value: undefined }))[0]).toBe(400)
    expect((await post('elsewhere', whole))[0]).toBe(404)
  })
})
