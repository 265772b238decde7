import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Attack, AttackContext } from '../attack.ts'
import { closeAll, endpointOf, openSocket, type Sockets } from '../sockets.ts'
import { startUplink, type Uplink } from '../uplink.ts'
import { newKeys, signedToken } from './forgedTokens.ts'

const { publicKey, privateKey } = newKeys()
const EXPIRY_SECONDS = 24 * 60 * 60
const TOKEN = signedToken(privateKey, {
  permissions: ['*:*'],
  exp: Math.floor(Date.now() / 1000) + EXPIRY_SECONDS,
})
const BAD_TOKEN = signedToken(newKeys().privateKey, { permissions: ['*:*'], exp: 4_000_000_000 })

export type BodiesSent = {
  readonly seconds: number
  /** Callers with a bad token, at each validator. */
  readonly callers: number
  /** Short bodies that never end, of each kind and at each validator. */
  readonly silent: number
  /** Long bodies that never end, at each validator. */
  readonly inFlight: number
}

/** A batch without an end, which was once read whole before the token was judged. */
const BATCH_PART = '{},'.repeat(21_845)
const BATCH_BYTES = 127 * 1024 * 1024
const CHUNKED = 'Transfer-Encoding: chunked'
const TOO_LONG = 'Content-Length: 133169152'
/** How the length of the batch is announced: more than a node reads, as much as it reads, and not at all. */
const LENGTHS = [TOO_LONG, 'Content-Length: 5000000', CHUNKED] as const
/** Without it the attacker uses up the processor itself. */
const PAUSE_MS = 100
/** More at once than the system lets wait for a node would wait for seconds, also of others. */
const OPENED_AT_ONCE = 20
const OPENING_MS = 50
const BODY_BYTES = 5 * 1024 * 1024

/** Sent by a patient caller before it waits for the answer; the others send until it comes. */
const PATIENT_BYTES = 256 * 1024
const ANSWER_MS_MAX = 15_000

const headOf = (path: string, token: string | undefined, length: string): string =>
  [
    `POST ${path} HTTP/1.1`,
    'Host: localhost',
    'Content-Type: application/json',
    ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
    length,
    '\r\n',
  ].join('\r\n')

type Answer = { readonly status: string; readonly bytes: number }

/** Sends the head with the bad token and at most so much of a batch until the node answers. */
const postBadToken = (
  socket: Socket,
  uplink: Uplink,
  { isChunked, bytesMax }: { readonly isChunked: boolean; readonly bytesMax: number },
): Promise<Answer> =>
  new Promise(resolve => {
    let status = 'closed'
    let bytes = 0
    const part = isChunked ? `${BATCH_PART.length.toString(16)}\r\n${BATCH_PART}\r\n` : BATCH_PART
    const write = (): void => {
      if (!socket.writable || bytes >= bytesMax || !uplink.isFree(write)) return
      bytes += part.length
      uplink.take(part.length)
      // The answer must be seen between two parts.
      if (socket.write(part)) setImmediate(write)
    }
    socket.on('drain', write)
    socket.setTimeout(ANSWER_MS_MAX, () => {
      status = 'no answer'
      socket.destroy()
    })
    socket.once('data', data => {
      status = data.toString('latin1').slice(9, 12)
      socket.destroy()
    })
    socket.once('close', () => resolve({ status, bytes }))
    write()
  })

type BodiesContext = Pick<AttackContext, 'cluster' | 'say'>

type Counts = { readonly statuses: Map<string, number>; mostBytes: number; readonly faults: Set<string> }

/** A request with a bad token after the other, each when the one before is answered. */
const callBadly = async (
  { cluster }: BodiesContext,
  index: number,
  { seconds, callers }: BodiesSent,
  {
    sockets,
    counts,
    uplink,
  }: { readonly sockets: Sockets; readonly counts: Counts; readonly uplink: Uplink },
): Promise<void> => {
  const { url, graphqlUrl = url } = cluster.node(index)
  const untilMs = performance.now() + seconds * 1000
  const call = async (caller: number): Promise<void> => {
    const [endpoint, path] = caller % 2 === 0 ? [url, '/'] : [graphqlUrl, '/graphql']
    const isPatient = caller % 4 < 2
    for (let next = caller; performance.now() < untilMs; next++) {
      const length = LENGTHS[next % LENGTHS.length] as string
      const socket = openSocket(sockets, endpointOf(endpoint), headOf(path, BAD_TOKEN, length))
      const bytesMax = isPatient ? PATIENT_BYTES : BATCH_BYTES
      const { status, bytes } = await postBadToken(socket, uplink, {
        isChunked: length === CHUNKED,
        bytesMax,
      })
      await Bun.sleep(PAUSE_MS)
      counts.statuses.set(status, (counts.statuses.get(status) ?? 0) + 1)
      counts.mostBytes = Math.max(counts.mostBytes, bytes)
      // Where bytes are still on their way, the connection may be reset before its answer is read; Bun closes one that is too long
      // or whose chunks were not read.
      const expected =
        isPatient && length !== TOO_LONG && length !== CHUNKED ? ['401'] : ['401', '413', 'closed']
      if (!expected.includes(status)) counts.faults.add(`${path} with ${length} had: ${status}`)
    }
  }
  await Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)))
}

/** Bodies of which the last byte never comes: short ones without a token and with one, and the longest that a node reads. */
const openBodies = async (
  { cluster }: BodiesContext,
  index: number,
  { silent, inFlight }: BodiesSent,
  sockets: Sockets,
): Promise<void> => {
  const { url, graphqlUrl = url } = cluster.node(index)
  const open = (path: string, token: string | undefined, length: number): void => {
    const to = path === '/graphql' ? graphqlUrl : url
    openSocket(sockets, endpointOf(to), headOf(path, token, `Content-Length: ${length}`)).write(
      Buffer.alloc(length - 1, ' '),
    )
  }
  for (let count = 0; count < silent; count++) {
    open('/', undefined, 1_000)
    open('/login', undefined, 1_000)
    open(count % 2 === 0 ? '/' : '/graphql', TOKEN, 1_000)
    if (count % OPENED_AT_ONCE === 0) await Bun.sleep(OPENING_MS)
  }
  for (let count = 0; count < inFlight; count++) open(count % 2 === 0 ? '/' : '/graphql', TOKEN, BODY_BYTES)
}

/** A network whose nodes ask for tokens of an issuer of its own, and the token of its requests. */
export const networkWithTokens = (folder: string) => {
  const file = join(folder, `issuer-${randomUUID()}.pem`)
  writeFileSync(file, publicKey)
  return {
    token: TOKEN,
    args: [
      '--logging-format=PLAIN',
      '--graphql-http-enabled',
      '--graphql-http-port=0',
      '--rpc-http-authentication-enabled',
      `--rpc-http-authentication-jwt-public-key-file=${file}`,
    ],
  }
}

/** Sends the bodies to all validators that run; gives a sentence for each answer that was not the expected one. */
export const sendUnauthorizedBodies = async (
  context: BodiesContext,
  sent: BodiesSent,
): Promise<readonly string[]> => {
  const all = context.cluster.running()
  const silent: Sockets = { open: new Set(), ended: 0, refused: 0 }
  const sockets: Sockets = { open: new Set(), ended: 0, refused: 0 }
  const counts: Counts = { statuses: new Map(), mostBytes: 0, faults: new Set() }
  for (const index of all) await openBodies(context, index, sent, silent)
  const uplink = startUplink()
  await Promise.all(all.map(index => callBadly(context, index, sent, { sockets, counts, uplink })))
  uplink.stop()
  const statuses = [...counts.statuses].map(([status, count]) => `${count} with ${status}`)
  context.say(
    `bad tokens: ${statuses.join(', ')}, after ${(counts.mostBytes / 1e6).toFixed(1)} MB at most; ${silent.open.size} silent bodies are open, ${silent.refused} had 503`,
  )
  closeAll(silent)
  return [
    ...counts.faults,
    ...(counts.mostBytes > BATCH_BYTES / 2 ? ['a body was read before its token was judged'] : []),
  ]
}

/** As many in flight as reach the bound (256 MiB) of each validator, and some more. */
const SENT: BodiesSent = { seconds: 20, callers: 8, silent: 200, inFlight: 60 }

export const unauthorizedBodies: Attack = {
  name: 'unauthorized-bodies',
  what: `Sends bodies of ${BATCH_BYTES / 1024 / 1024} MiB with a bad token to all four validators, by JSON-RPC and GraphQL, beside ${SENT.silent * 3} silent bodies and ${SENT.inFlight} long ones in flight at each.`,
  // As many bytes of bodies as may be in flight, twice until the collector has run.
  limits: { growthMb: 768 },
  network: networkWithTokens,
  run: context => sendUnauthorizedBodies(context, SENT),
}
