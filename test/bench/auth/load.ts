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

/** Sends one request and resolves to the answer; all answers to one request are of one length. */
const exchange = (socket: Socket, request: Uint8Array): Promise<string> =>
  new Promise(resolve => {
    socket.once('data', chunk => resolve(chunk.toString()))
    socket.write(request)
  })

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
          let received = 0
          socket.on('error', reject)
          socket.on('data', chunk => {
            received += chunk.length
            if (received < answer.length) return
            received -= answer.length
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
