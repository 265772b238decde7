import { until } from '../support/until.ts'
type Json = Record<string, unknown>

export type WsReply = {
  readonly id?: unknown
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

export type WsNotification = { readonly subscription: string; readonly result: unknown }

/** A plain connection for tests: what is sent is what is written, what comes is kept. */
export type WsClient = {
  readonly protocol: string
  /** Sends one request and gives its answer. */
  request(method: string, ...params: readonly unknown[]): Promise<WsReply>
  /** The result. @throws where it is an error */
  call<T = unknown>(method: string, ...params: readonly unknown[]): Promise<T>
  /** Sends a message as it is and gives the next message that comes. */
  exchange(message: string | Uint8Array<ArrayBuffer>): Promise<unknown>
  send(message: string | Uint8Array<ArrayBuffer>): void
  /** Every notification so far. */
  readonly notifications: readonly WsNotification[]
  /** Waits until `count` notifications of a subscription have come; gives their results. */
  results(subscription: string, count: number): Promise<readonly unknown[]>
  /** Other messages so far: neither answers to `request` nor notifications. */
  readonly others: readonly unknown[]
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>
  close(): void
}

export type WsClientOptions = {
  readonly headers?: Readonly<Record<string, string>>
  readonly protocols?: readonly string[]
}

/** Why a handshake failed. */
export class HandshakeFailed extends Error {
  override readonly name = 'HandshakeFailed'
}

let lastId = 0

/** @throws HandshakeFailed */
export const connectWs = async (url: string, options: WsClientOptions = {}): Promise<WsClient> => {
  // Bun's own, which sends headers; the type in scope is that of browsers.
  const Client = WebSocket as unknown as new (url: string, options: WsClientOptions) => WebSocket
  const socket = new Client(url, options)
  const notifications: WsNotification[] = []
  const others: unknown[] = []
  const answers = new Map<unknown, (reply: WsReply) => void>()
  const nexts: ((message: unknown) => void)[] = []
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data)) as Json
    const answer = answers.get(message['id'])
    if (answer !== undefined && answers.delete(message['id'])) answer(message)
    else if (message['method'] === 'eth_subscription') notifications.push(message['params'] as WsNotification)
    else if (nexts.length > 0) nexts.shift()?.(message)
    else others.push(message)
  })
  const closed = new Promise<{ code: number; reason: string }>(resolve => {
    socket.addEventListener('close', ({ code, reason }) => resolve({ code, reason }))
  })
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve())
    socket.addEventListener('error', () => reject(new HandshakeFailed('the connection did not open')))
    void closed.then(({ code, reason }) => reject(new HandshakeFailed(`${code} ${reason}`)))
  })

  const request: WsClient['request'] = (method, ...params) =>
    new Promise((resolve, reject) => {
      const id = `t${++lastId}`
      answers.set(id, resolve)
      void closed.then(({ code, reason }) => reject(new Error(`${method}: closed with ${code} ${reason}`)))
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    })

  return {
    protocol: socket.protocol,
    request,
    call: async (method, ...params) => {
      const { error, result } = await request(method, ...params)
      if (error !== undefined) throw new Error(`${method}: ${error.code} ${error.message}`)
      return result as never
    },
    exchange: message =>
      new Promise(resolve => {
        nexts.push(resolve)
        socket.send(message)
      }),
    send: message => socket.send(message),
    notifications,
    results: async (subscription, count) => {
      const found = await until(() => {
        const all = notifications.filter(one => one.subscription === subscription)
        return all.length >= count && all
      })
      return found.map(({ result }) => result)
    },
    others,
    closed,
    close: () => socket.close(),
  }
}
