import { AwsClient } from 'aws4fetch'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

type S3Server = { run(): Promise<{ readonly port: number }>; close(): Promise<void> }
type S3Class = new (options: object) => S3Server

/** Access key and secret of the test server. */
export const S3_KEY = 'S3RVER'

/** An empty bucket in a server on this machine. */
export type S3Bucket = { readonly url: string; remove(): Promise<void> }

/** Adds the condition of a write (If-Match), which S3 has and the test server has not, one write at a time. */
const serveConditions = (port: number) => {
  const client = new AwsClient({
    accessKeyId: S3_KEY,
    secretAccessKey: S3_KEY,
    service: 's3',
    region: 'us-east-1',
  })
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
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: request => {
      const answer = last.then(() => forward(request))
      if (request.method === 'PUT') last = answer.catch(() => undefined)
      return answer
    },
  })
}

export const startS3 = async (): Promise<S3Bucket> => {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-s3-'))
  const S3rver = createRequire(import.meta.url)('@20minutes/s3rver') as S3Class
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory: folder,
    configureBuckets: [{ name: 'chain' }],
  })
  const { port } = await server.run()
  const conditional = serveConditions(port)
  return {
    url: `http://127.0.0.1:${conditional.port}/chain`,
    remove: async () => {
      await conditional.stop(true)
      await server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
