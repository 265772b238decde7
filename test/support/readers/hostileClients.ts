import { connect, type Socket } from 'node:net'
import { connectRawWs, type RawWs } from '../../runtime/rawWs.ts'

/** Clients of a server of JSON-RPC that hold its connections, or ask for more than they read. */

/** Statuses of answers, with their number. */
export type Statuses = Map<number, number>

const count = (statuses: Statuses, status: number): void => {
  statuses.set(status, (statuses.get(status) ?? 0) + 1)
}

/** Statuses with which a server says that it is busy, has no head yet, or ran out of time. */
export const NAMED_STATUSES: readonly number[] = [503, 504]

const openSocket = (url: string, statuses: Statuses): Socket => {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  // The server ends what is too slow.
  socket.on('error', () => undefined)
  socket.on('data', data => {
    const status = /^HTTP\/1\.1 (\d{3})/.exec(data.toString('latin1'))?.[1]
    if (status !== undefined) count(statuses, Number(status))
  })
  return socket
}

type Holding = { readonly url: string; readonly ms: number }

const BYTE_MS = 100

/** Sends bodies a byte at a time, headers a byte at a time, and bodies of which the last byte never comes. */
export const slowBodies = async ({ url, ms }: Holding): Promise<Statuses> => {
  const statuses: Statuses = new Map()
  const head = 'POST / HTTP/1.1\r\nHost: localhost\r\n'
  const begin = (text: string): Socket => {
    const socket = openSocket(url, statuses)
    socket.write(text)
    return socket
  }
  const drip = (text: string): Socket[] => Array.from({ length: 100 }, () => begin(text))
  const inBody = drip(`${head}Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n[`)
  const inHeaders = drip(head)
  const silent = Array.from({ length: 20 }, () => {
    const socket = begin(`${head}Content-Length: 5242880\r\n\r\n`)
    socket.write(Buffer.alloc(5_242_879, ' '))
    return socket
  })
  const untilMs = performance.now() + ms
  while (performance.now() < untilMs) {
    for (const socket of inBody) socket.write(' ')
    for (const socket of inHeaders) socket.write('x')
    await Bun.sleep(BYTE_MS)
  }
  for (const socket of [...inBody, ...inHeaders, ...silent]) socket.destroy()
  return statuses
}

const SILENT_SOCKETS = 200
const FLOODING_SOCKETS = 20
const SUBSCRIPTIONS = 2_000
const FILTERS = [['newHeads'], ['logs', {}], ['newPendingTransactions', true], ['syncing'], ['x']] as const
/** Blocks with all transactions, and answers of about a megabyte: what is answered piles up. */
const LONG_ANSWERS = [
  ['eth_getBlockByNumber', ['latest', true]],
  ['rpc_discover', []],
] as const

const call = (id: number, method: string, params: readonly unknown[]): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })

/** Connects clients that say nothing, that subscribe without an end, and that ask and never read. */
export const hostileSockets = async ({ url, ms }: Holding): Promise<number> => {
  const sockets: RawWs[] = []
  const open = async (): Promise<RawWs | undefined> => {
    try {
      const socket = await connectRawWs(url)
      sockets.push(socket)
      return socket
    } catch {
      // Refused: the server has enough connections.
      return undefined
    }
  }
  for (let number = 0; number < SILENT_SOCKETS; number++) await open()
  for (let number = 0; number < FLOODING_SOCKETS; number++) {
    const socket = await open()
    for (let id = 0; id < SUBSCRIPTIONS; id++)
      socket?.send(call(id, 'eth_subscribe', FILTERS[id % FILTERS.length] as readonly unknown[]))
  }
  const reading = await Promise.all(Array.from({ length: FLOODING_SOCKETS }, open))
  for (const socket of reading) socket?.pause()
  const untilMs = performance.now() + ms
  while (performance.now() < untilMs) {
    for (const socket of reading)
      for (const [id, [method, params]] of LONG_ANSWERS.entries()) socket?.send(call(id, method, params))
    await Bun.sleep(BYTE_MS)
  }
  for (const socket of sockets) socket.destroy()
  return sockets.length
}

/** Sends each body once, some at a time. */
export const postAll = async (
  url: string,
  bodies: readonly string[],
  headers: Readonly<Record<string, string>> = { 'content-type': 'application/json' },
): Promise<Statuses> => {
  const statuses: Statuses = new Map()
  let next = 0
  const send = async (): Promise<void> => {
    for (let body = bodies[next++]; body !== undefined; body = bodies[next++]) {
      try {
        const response = await fetch(url, { method: 'POST', headers, body })
        await response.arrayBuffer()
        count(statuses, response.status)
      } catch {
        // A header that is too long, or a body, ends the connection.
        count(statuses, 0)
      }
    }
  }
  await Promise.all(Array.from({ length: 4 }, send))
  return statuses
}

/** Passwords that are wrong, and bodies that are no login. */
export const LOGINS: readonly string[] = [
  '',
  '{',
  '[]',
  '{"username":1,"password":{}}',
  `{"username":"${'x'.repeat(1_000_000)}","password":"x"}`,
  ...Array.from({ length: 20 }, (_, i) => `{"username":"alice","password":"${i}"}`),
  ...Array.from({ length: 20 }, (_, i) => `{"username":"nobody${i}","password":"x"}`),
]
