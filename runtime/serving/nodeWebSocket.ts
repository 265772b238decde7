import { type IncomingMessage, type Server as HttpServer, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { type RawData, type ServerOptions, type WebSocket, WebSocketServer } from 'ws'
import { SHORT_CHUNK_BYTES } from '../../handlers/inbound/bodyUnits.ts'
import { createConnectionUnits } from '../../handlers/inbound/unitBudget.ts'
import { CLOSE_CODES, type Socket, type Upgrade } from '../../handlers/ws/socket.ts'
import { createFrameWatch } from './frameWatch.ts'
import { PING_INTERVAL_MS, type WebSocketOptions } from './serve.ts'

/** Timeout of the closing handshake; the connection is then closed. */
const CLOSE_TIMEOUT_MS = 5_000

/** Maximum concurrent compressions and decompressions of all connections; others wait. */
const DEFLATES_MAX = 4

const socketOf = (webSocket: WebSocket): Socket => ({
  send: (text, isCompressed) => webSocket.send(text, { compress: isCompressed }),
  sendPart: (bytes, isLast) => webSocket.send(bytes, { binary: false, compress: false, fin: isLast }),
  bufferedBytes: () => webSocket.bufferedAmount,
  close: (code, reason) => webSocket.close(code, reason),
  terminate: () => webSocket.terminate(),
})

const bytesOf = (data: RawData): Buffer =>
  Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as Buffer)

/** The values of a header that was sent more than once, joined as in a Request; node:http keeps the first Host alone. */
const headersOf = ({ rawHeaders }: IncomingMessage): Pick<Headers, 'get'> => ({
  get: name => {
    const values = rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name)
    return values.length === 0 ? null : values.join(', ')
  },
})

/** Writes the response to a refused upgrade and closes the connection. */
const refuse = async (socket: Duplex, response: Response): Promise<void> => {
  const body = await response.text()
  const headers = [
    ...response.headers,
    ['connection', 'close'],
    ['content-length', String(Buffer.byteLength(body))],
  ]
  const lines = headers.map(([name, value]) => `${name}: ${value}`)
  const status = `HTTP/1.1 ${response.status} ${STATUS_CODES[response.status] ?? ''}`
  socket.end([status, ...lines, '', body].join('\r\n'))
}

/** Starts a session on an open connection, and pings the client regularly. */
const startSession = (
  webSocket: WebSocket,
  connection: Duplex,
  granted: Upgrade,
  frameBytesMax: number,
): void => {
  const session = granted.open(socketOf(webSocket))
  let unanswered = 0
  const timer = setInterval(() => {
    if (unanswered++ < 2) webSocket.ping()
    else webSocket.terminate()
  }, PING_INTERVAL_MS)
  webSocket.on('pong', () => {
    unanswered = 0
  })
  let isRefused = false
  // ws limits messages, not their frames.
  const refuseLonger = (bytes: number): void => {
    if (isRefused || bytes <= frameBytesMax) return
    isRefused = true
    webSocket.close(CLOSE_CODES.messageTooBig, 'A frame is too long')
  }
  /** Numbers of frames of the messages that ws has not reported yet. */
  const frames: number[] = []
  const takeUnit = createConnectionUnits('WebSocket frames')
  const watch = createFrameWatch({
    onFrame: refuseLonger,
    onLastFrame: count => frames.push(count),
    onPart: bytes => {
      // ws parses all that has arrived, some microseconds for each frame.
      if (!isRefused && bytes < SHORT_CHUNK_BYTES && !takeUnit()) {
        isRefused = true
        webSocket.terminate()
      }
    },
  })
  connection.prependListener('data', watch)
  webSocket.on('message', (data: RawData) => {
    const text = bytesOf(data)
    // The limit also holds for the decompressed frame.
    if (frames.shift() === 1) refuseLonger(text.length)
    if (!isRefused) session.message(text.toString())
  })
  // Faults of the client, after which ws closes the connection: invalid frames, a message that is too long, a reset.
  webSocket.on('error', () => undefined)
  webSocket.on('close', () => {
    clearInterval(timer)
    session.closed()
  })
}

/** Serves WebSocket upgrades on a node:http server. Returns the function that closes the open connections. */
export const serveWebSocket = (
  server: HttpServer,
  { upgrade, frameBytesMax, messageBytesMax }: WebSocketOptions,
): (() => void) => {
  const protocols = new WeakMap<IncomingMessage, string>()
  // The types lack closeTimeout.
  const options: ServerOptions & { readonly closeTimeout: number } = {
    noServer: true,
    // Also the limit of a decompressed message.
    maxPayload: messageBytesMax,
    perMessageDeflate: {
      // No context from one message to the next: it would take a third of a megabyte per connection.
      serverNoContextTakeover: true,
      clientNoContextTakeover: true,
      // The session decides which messages are compressed.
      threshold: 0,
      concurrencyLimit: DEFLATES_MAX,
    },
    closeTimeout: CLOSE_TIMEOUT_MS,
    handleProtocols: (_, request) => protocols.get(request) ?? false,
  }
  const webSockets = new WebSocketServer(options)

  const answer = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const granted = await upgrade({ headers: headersOf(request) }, () => request.socket.remoteAddress ?? '')
    if (granted instanceof Response) return refuse(socket, granted)
    if (granted.protocol !== undefined) protocols.set(request, granted.protocol)
    webSockets.handleUpgrade(request, socket, head, webSocket =>
      startSession(webSocket, socket, granted, frameBytesMax),
    )
  }

  server.on('upgrade', (request, socket, head) => {
    // The client may disconnect while it waits.
    const onError = (): void => void socket.destroy()
    socket.on('error', onError)
    answer(request, socket, head).then(
      () => socket.off('error', onError),
      () => socket.destroy(),
    )
  })
  return () => {
    for (const webSocket of webSockets.clients) webSocket.terminate()
  }
}
