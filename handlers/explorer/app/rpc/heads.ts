import { call } from './client.ts'
import { isRefused, NO_CONNECTION, RpcFailure } from './failure.ts'
import { loginNeeded, token } from './session.ts'
import { createValue } from './value.ts'

/** Polling interval for the head while there is no WebSocket. */
const POLL_MS = 1_000
/** Interval of attempts to connect a WebSocket. */
const RECONNECT_MS = 5_000

/** Number of the latest block; undefined until the node has answered. */
export const head = createValue<bigint | undefined>(undefined)

/** How the page learns of new blocks. */
export type Feed = 'starting' | 'live' | 'polling' | 'offline' | 'refused'
export const feed = createValue<Feed>('starting')

/** The error of the last read of the head, if a retry would fail in the same way. */
export const headRefusal = createValue<unknown>(undefined)

/** How often the chain went back, as a development chain does: what was read before may be gone. */
export const rewinds = createValue(0)

/** @param known the head when the node was asked: a lower one means that the chain went back. */
const setHead = (number: bigint, known: bigint | undefined): void => {
  const isRewind = known !== undefined && number < known
  if (isRewind) rewinds.set(rewinds.get() + 1)
  // An answer may be overtaken by a newer notification.
  else if (number < (head.get() ?? 0n)) return
  head.set(number)
}

const webSocketUrl = (): string | undefined => {
  const port = document.querySelector('meta[name="websocket-port"]')?.getAttribute('content') ?? ''
  // The tokens of HTTP are not valid on the WebSocket port.
  if (port === '' || token.get() !== undefined) return undefined
  return `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.hostname}:${port}`
}

const poll = async (): Promise<void> => {
  const known = head.get()
  try {
    setHead(BigInt(await call<string>('eth_blockNumber')), known)
    headRefusal.set(undefined)
    if (feed.get() !== 'live') feed.set('polling')
  } catch (error) {
    const isGone = error instanceof RpcFailure && error.code === NO_CONNECTION
    if (isRefused(error)) headRefusal.set(error)
    feed.set(isGone ? 'offline' : isRefused(error) ? 'refused' : feed.get())
  }
}

type Notification = { readonly params?: { readonly result?: { readonly number?: string } } }

const connect = (): void => {
  const url = webSocketUrl()
  if (url === undefined) return
  const again = (): void => void setTimeout(connect, RECONNECT_MS)
  let socket: WebSocket
  try {
    socket = new WebSocket(url)
  } catch {
    // A policy of the browser forbids it: polling goes on.
    return
  }
  socket.addEventListener('open', () => {
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }))
  })
  socket.addEventListener('message', ({ data }) => {
    const { params } = JSON.parse(String(data)) as Notification
    const number = params?.result?.number
    if (number === undefined) return
    feed.set('live')
    setHead(BigInt(number), head.get())
  })
  socket.addEventListener('close', () => {
    if (feed.get() === 'live') feed.set('polling')
    again()
  })
}

/** Blocks may be minutes apart: a live feed is checked from time to time, too. */
const LIVE_POLL_MS = 10_000

const pollForEver = async (): Promise<void> => {
  for (;;) {
    // A page that opens in the background is read once: it would show nothing until somebody looks at it.
    const isDue = !document.hidden || head.get() === undefined
    if (isDue && !loginNeeded.get()) await poll()
    await new Promise(resolve => setTimeout(resolve, feed.get() === 'live' ? LIVE_POLL_MS : POLL_MS))
  }
}

export const startHeads = (): void => {
  connect()
  void pollForEver()
}
