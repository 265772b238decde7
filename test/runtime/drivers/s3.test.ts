import { AwsClient } from 'aws4fetch'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keyValueOfDriver } from '../../../core/store/driverStore.ts'
import { openReplicaWriter, ReplicaFenced } from '../../../core/store/replica/replicaWriter.ts'
import { StateUnavailable } from '../../../core/store/replica/errors.ts'
import { openS3Driver } from '../../../runtime/drivers/s3.ts'
import { rejection } from '../../support/rejection.ts'
import { readReplica, segmentsOf, writerId } from '../../support/replica.ts'
import { sampleChain } from '../../support/sampleChain.ts'

type S3Server = { run(): Promise<{ readonly port: number }>; close(): Promise<void> }
type S3Class = new (options: object) => S3Server

const chain = sampleChain({ seed: 91, blocks: 80, accounts: 3, slots: 1, changesMax: 2, transactionsMax: 2 })

describe('S3', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-s3-'))
  let server: S3Server
  let conditional: ReturnType<typeof Bun.serve>

  beforeAll(async () => {
    const S3rver = createRequire(import.meta.url)('@20minutes/s3rver') as S3Class
    server = new S3rver({
      port: 0,
      address: '127.0.0.1',
      silent: true,
      directory: folder,
      configureBuckets: [{ name: 'chain' }],
    })
    const { port } = await server.run()
    const client = new AwsClient({
      accessKeyId: 'S3RVER',
      secretAccessKey: 'S3RVER',
      service: 's3',
      region: 'us-east-1',
    })
    // The server has all but the condition of a write (If-Match), which S3 has; this adds it, one write at a time.
    let last: Promise<unknown> = Promise.resolve()
    const forward = async (request: Request): Promise<Response> => {
      const { pathname, search } = new URL(request.url)
      const url = `http://127.0.0.1:${port}${pathname}${search}`
      const [match, noneMatch] = [request.headers.get('if-match'), request.headers.get('if-none-match')]
      if (request.method === 'PUT' && (match !== null || noneMatch !== null)) {
        const found = await client.fetch(url)
        await found.arrayBuffer()
        const isRefused = noneMatch === null ? found.headers.get('etag') !== match : found.ok
        if (isRefused) return new Response('', { status: 412 })
      }
      const body = request.body === null ? null : await request.arrayBuffer()
      return fetch(url, { method: request.method, headers: request.headers, body })
    }
    conditional = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: request => {
        const answer = last.then(() => forward(request))
        if (request.method === 'PUT') last = answer.catch(() => undefined)
        return answer
      },
    })
  })
  afterAll(async () => {
    await conditional?.stop(true)
    await server?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const open = async (base: string) => {
    const { driver, durability } = await openS3Driver({
      url: `http://127.0.0.1:${conditional.port}/chain`,
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
    const url = `http://127.0.0.1:${conditional.port}/chain`
    const error = await rejection(openS3Driver({ url, accessKeyId: 'S3RVER', secretAccessKey: 'wrong' }))
    expect(String(error)).toContain('check URL and keys')
  })
})
