import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { keyValueOfDriver } from '../../../core/store/keyvalue/driverStore.ts'
import { openReplicaWriter, ReplicaFenced } from '../../../core/store/replica/replicaWriter.ts'
import { StateUnavailable } from '../../../core/store/replica/errors.ts'
import { openS3Driver } from '../../../runtime/drivers/s3.ts'
import { rejection } from '../../support/rejection.ts'
import { readReplica, segmentsOf, writerId } from '../../support/stores/replica.ts'
import { sampleChain } from '../../support/chains/sampleChain.ts'
import { type S3Bucket, startS3 } from '../../support/servers/s3.ts'

const chain = sampleChain({ seed: 91, blocks: 80, accounts: 3, slots: 1, changesMax: 2, transactionsMax: 2 })

describe('S3', () => {
  let server: S3Bucket

  beforeAll(async () => {
    server = await startS3()
  })
  afterAll(() => server?.remove())

  const open = async (base: string) => {
    const { driver, durability } = await openS3Driver({
      url: server.url,
      accessKeyId: 'S3RVER',
      secretAccessKey: 'S3RVER',
      base,
    })
    return keyValueOfDriver(driver, durability)
  }
  const openWriter = async (base: string, id: number) =>
    openReplicaWriter(await open(base), {
      writer: writerId(id),
      genesisHash: (chain.commits[0] as (typeof chain.commits)[number]).hash,
      contents: 'blocks',
    })

  test('given keys and values, then they are kept, replaced and removed', async () => {
    const kv = await open('plain/')
    await kv.set([
      { key: 'segment:1', value: Uint8Array.of(1, 2) },
      { key: 'logs:0:3', value: new Uint8Array(0) },
    ])
    await kv.set([{ key: 'segment:1', value: Uint8Array.of(3) }])
    expect(await kv.getMany?.(['segment:1', 'segment:2', 'logs:0:3'])).toEqual([
      Uint8Array.of(3),
      undefined,
      new Uint8Array(0),
    ])
    await kv.set([{ key: 'segment:1', value: undefined }])
    expect(await kv.get('segment:1')).toBeUndefined()
  })

  test('given the blocks of a chain, then a reader has headers, records, locations and logs, and says that there is no state', async () => {
    const writer = await openWriter('blocks/', 1)
    await writer.write(segmentsOf(chain, 0, 40))
    await writer.write(segmentsOf(chain, 41, 70))
    const store = await readReplica(await open('blocks/'))
    if (store === undefined) throw new Error('the replica has no block')
    for (const number of [0, 33, 70]) {
      const { block, hash } = chain.commits[number] as (typeof chain.commits)[number]
      expect((await store.record(BigInt(number)))?.block).toEqual(block)
      expect(await store.numberOfHash(hash)).toBe(BigInt(number))
    }
    expect(() => store.stateAt(5n)).toThrow(StateUnavailable)
  })

  test('given two writers, then the first is fenced', async () => {
    const first = await openWriter('fence/', 1)
    await first.write(segmentsOf(chain, 0, 3))
    const second = await openWriter('fence/', 2)
    expect(await rejection(first.write(segmentsOf(chain, 4, 5)))).toBeInstanceOf(ReplicaFenced)
    await second.write(segmentsOf(chain, 4, 8))
  })

  test('given another key, then the error names the keys', async () => {
    const { url } = server
    const error = await rejection(openS3Driver({ url, accessKeyId: 'S3RVER', secretAccessKey: 'wrong' }))
    expect(String(error)).toContain('check URL and keys')
  })
})
