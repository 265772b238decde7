import { connect, type Socket } from 'node:net'

/** One HTTP request as bytes, to a node on this machine. */
export const requestBytes = (body: string, headers: Readonly<Record<string, string>> = {}): Uint8Array =>
  new TextEncoder().encode(
    [
      'POST / HTTP/1.1',
      'host: localhost',
      `content-length: ${body.length}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      '',
      body,
    ].join('\r\n'),
  )

const open = (port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true }, () => resolve(socket))
    socket.once('error', reject)
  })

const LAST_CHUNK = '0\r\n\r\n'

/** Whether a whole answer has arrived: by its content-length, or by the last chunk of a chunked body. */
const isWhole = (text: string): boolean => {
  const headEnd = text.indexOf('\r\n\r\n')
  if (headEnd < 0) return false
  const bodyBytes = /^content-length: *(\d+)/im.exec(text.slice(0, headEnd))?.[1]
  return bodyBytes === undefined ? text.endsWith(LAST_CHUNK) : text.length >= headEnd + 4 + Number(bodyBytes)
}

/** Sends one request and resolves to the whole answer, a character for each byte. */
const exchange = (socket: Socket, request: Uint8Array): Promise<string> =>
  new Promise(resolve => {
    let text = ''
    const read = (chunk: Uint8Array): void => {
      text += Buffer.from(chunk).toString('latin1')
      if (!isWhole(text)) return
      socket.off('data', read)
      resolve(text)
    }
    socket.on('data', read)
    socket.write(request)
  })

/**
 * Returns a function that takes what arrives and says whether an answer ends with it. Answers with a content-length are
 * all as long as the first; the chunks of others differ, so their end is looked for.
 */
const endsOfAnswers = (first: string): ((chunk: Uint8Array) => boolean) => {
  let receivedBytes = 0
  let tail = ''
  return chunk => {
    if (first.endsWith(LAST_CHUNK)) {
      tail = (tail + Buffer.from(chunk.subarray(-LAST_CHUNK.length)).toString('latin1')).slice(
        -LAST_CHUNK.length,
      )
      return tail === LAST_CHUNK
    }
    receivedBytes += chunk.length
    if (receivedBytes < first.length) return false
    receivedBytes -= first.length
    return true
  }
}

export type Load = { readonly perSecond: number; readonly answer: string }

/**
 * Requests a second over some connections that each wait for their answer before they ask again. The client only counts
 * bytes, so that the node is what is measured.
 */
export const measureLoad = async (
  port: number,
  request: Uint8Array,
  { connections, ms }: { readonly connections: number; readonly ms: number },
): Promise<Load> => {
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)))
  const answer = await exchange(sockets[0] as Socket, request)
  let count = 0
  const start = performance.now()
  const end = start + ms
  await Promise.all(
    sockets.map(
      socket =>
        new Promise<void>((resolve, reject) => {
          const endsAnswer = endsOfAnswers(answer)
          socket.on('error', reject)
          socket.on('data', chunk => {
            if (!endsAnswer(chunk)) return
            count++
            if (performance.now() < end) socket.write(request)
            else resolve()
          })
          socket.write(request)
        }),
    ),
  )
  const seconds = (performance.now() - start) / 1000
  for (const socket of sockets) socket.destroy()
  return { perSecond: count / seconds, answer }
}
