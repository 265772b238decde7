import { createServer, type Server } from 'node:net'
import { describe, expect, test } from 'bun:test'
import { limitedBytes } from '../../../runtime/serving/limitedBytes.ts'
import { createSignerAgent, sendSignerRequest } from '../../../runtime/signing/remote/httpsRequest.ts'

const MEGABYTE = 1024 * 1024

/** Answers every request with chunks of that length. Resolves with the URL. */
const withServer = async (
  chunk: string,
  chunks: number,
  use: (url: string) => Promise<void>,
): Promise<void> => {
  const piece = `${chunk.length.toString(16)}\r\n${chunk}\r\n`
  const server: Server = createServer(socket => {
    socket.on('error', () => undefined)
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
      socket.end(`${piece.repeat(chunks)}0\r\n\r\n`)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { readonly port: number }
  try {
    await use(`http://127.0.0.1:${port}/`)
  } finally {
    server.close()
  }
}

const body = (chunkBytes: number, chunks: number): Response => {
  let sent = 0
  return new Response(
    new ReadableStream<Uint8Array>({
      pull: controller => {
        if (sent++ < chunks) controller.enqueue(new Uint8Array(chunkBytes))
        else controller.close()
      },
    }),
  )
}

describe('given an answer of a service in chunks', () => {
  test('when they are of one byte, then it is refused before its end', async () => {
    const read = limitedBytes(body(1, MEGABYTE), MEGABYTE)
    expect(await read.catch((error: unknown) => error)).toMatchObject({
      code: 'TOO_MANY_CHUNKS',
      message: 'it comes in too many chunks of less than 256 bytes',
    })
  })

  test('when they are long, or few, then it is read whole', async () => {
    expect(await limitedBytes(body(256, 4_096), MEGABYTE)).toHaveLength(MEGABYTE)
    expect(await limitedBytes(body(1, 4_000), MEGABYTE)).toHaveLength(4_000)
    expect(await limitedBytes(body(1, 50), 50)).toHaveLength(50)
  })

  test('when it is longer than the limit, then it is not read', async () => {
    expect(await limitedBytes(body(1_024, 1_025), MEGABYTE)).toBeUndefined()
  })

  test('when it comes from a remote signer byte by byte, then the reason is named', () =>
    withServer(' ', 20_000, async url => {
      const agent = createSignerAgent()
      const sent = sendSignerRequest({
        url: new URL(url),
        agent,
        tls: { ca: undefined, cert: undefined, key: undefined },
        timeoutMs: 20_000,
        bytesMax: MEGABYTE,
      })
      expect(String(await sent.catch((error: unknown) => error))).toContain(
        'its answer comes in too many chunks of a few bytes',
      )
      agent.destroy()
    }))
})
