import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Attack, AttackContext } from '../attack.ts'
import { closeAll, type Endpoint, endpointOf, openSocket, type Sockets } from '../sockets.ts'
import { newKeys, signedToken } from './forgedTokens.ts'

const { publicKey, privateKey } = newKeys()
const EXPIRY_SECONDS = 24 * 60 * 60
const TOKEN = signedToken(privateKey, {
  permissions: ['*:*'],
  exp: Math.floor(Date.now() / 1000) + EXPIRY_SECONDS,
})
const BAD_TOKEN = signedToken(newKeys().privateKey, { permissions: ['*:*'], exp: 4_000_000_000 })

const SECONDS = 20
const ALL = [1, 2, 3, 4]
/** A batch without an end, of more than a node reads, was once read whole before the token was judged. */
const BATCH_PART = '{},'.repeat(21_845)
const BATCH_BYTES = 127 * 1024 * 1024
const BAD_CALLERS = 6
const SILENT = 200
/** As many as reach the bound on bodies in flight (256 MiB) of each validator, and some more. */
const IN_FLIGHT = 60
const BODY_BYTES = 5 * 1024 * 1024

const headOf = (path: string, token: string | undefined, length: number): string =>
  [
    `POST ${path} HTTP/1.1`,
    'Host: localhost',
    'Content-Type: application/json',
    ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
    `Content-Length: ${length}`,
    '\r\n',
  ].join('\r\n')

/** Sends the head with the bad token and a long batch until the node answers; gives the status and the bytes sent till then. */
const postBadToken = (
  sockets: Sockets,
  endpoint: Endpoint,
  path: string,
): Promise<{ readonly status: string; readonly bytes: number }> =>
  new Promise(resolve => {
    const socket = openSocket(sockets, endpoint, headOf(path, BAD_TOKEN, BATCH_BYTES))
    let status = 'closed'
    let bytes = 0
    const write = (): void => {
      while (status === 'closed' && socket.writable && bytes < BATCH_BYTES) {
        bytes += BATCH_PART.length
        if (!socket.write(BATCH_PART)) return
      }
    }
    socket.on('drain', write)
    socket.once('data', data => {
      status = data.toString('latin1').slice(9, 12)
      socket.destroy()
    })
    socket.once('close', () => resolve({ status, bytes }))
    socket.write('[')
    write()
  })

type Counts = { readonly statuses: Map<string, number>; mostBytes: number }

/** Sends long bodies with the bad token to one validator, each after the answer to the one before. */
const callBadly = async (
  { cluster }: AttackContext,
  index: number,
  sockets: Sockets,
  counts: Counts,
): Promise<void> => {
  const { url, graphqlUrl = url } = cluster.node(index)
  const endpoints = [[endpointOf(url), '/'], [endpointOf(graphqlUrl), '/graphql']] as const
  const untilMs = performance.now() + SECONDS * 1000
  await Promise.all(
    Array.from({ length: BAD_CALLERS }, async (_, caller) => {
      const [endpoint, path] = endpoints[caller % endpoints.length] as (typeof endpoints)[number]
      while (performance.now() < untilMs) {
        const { status, bytes } = await postBadToken(sockets, endpoint, path)
        counts.statuses.set(status, (counts.statuses.get(status) ?? 0) + 1)
        counts.mostBytes = Math.max(counts.mostBytes, bytes)
      }
    }),
  )
}

/** Bodies of which the last byte never comes: short ones without a token and with one, and the longest that a node reads. */
const openBodies = ({ cluster }: AttackContext, index: number, sockets: Sockets): void => {
  const { url, graphqlUrl = url } = cluster.node(index)
  const open = (path: string, token: string | undefined, length: number): void => {
    const to = path === '/graphql' ? graphqlUrl : url
    openSocket(sockets, endpointOf(to), headOf(path, token, length)).write(Buffer.alloc(length - 1, ' '))
  }
  for (let count = 0; count < SILENT; count++) {
    open('/', undefined, 1_000)
    open('/login', undefined, 1_000)
    open(count % 2 === 0 ? '/' : '/graphql', TOKEN, 1_000)
  }
  for (let count = 0; count < IN_FLIGHT; count++) open(count % 2 === 0 ? '/' : '/graphql', TOKEN, BODY_BYTES)
}

export const unauthorizedBodies: Attack = {
  name: 'unauthorized-bodies',
  what: `Sends bodies of ${BATCH_BYTES / 1024 / 1024} MiB with a bad token to all four validators, by JSON-RPC and GraphQL, beside ${SILENT * 3} silent bodies and ${IN_FLIGHT} long ones in flight at each.`,
  network: folder => {
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
  },
  run: async context => {
    const silent: Sockets = { open: new Set(), ended: 0, refused: 0 }
    const bad: Sockets = { open: new Set(), ended: 0, refused: 0 }
    const counts: Counts = { statuses: new Map(), mostBytes: 0 }
    for (const index of ALL) openBodies(context, index, silent)
    await Promise.all(ALL.map(index => callBadly(context, index, bad, counts)))
    const statuses = [...counts.statuses].map(([status, count]) => `${count} with ${status}`)
    context.say(
      `bad tokens: ${statuses.join(', ')}, after ${(counts.mostBytes / 1e6).toFixed(1)} MB at most; ${silent.open.size} silent bodies are open, ${silent.refused} had 503`,
    )
    closeAll(silent)
    // A connection that is closed while bytes are on their way may be reset before its answer is read.
    const wrong = [...counts.statuses.keys()].filter(status => !['401', '503', 'closed'].includes(status))
    return [
      ...wrong.map(status => `a bad token was answered with ${status}`),
      ...(counts.statuses.has('401') ? [] : ['no bad token was answered with 401']),
      ...(counts.mostBytes > BATCH_BYTES / 2 ? ['a body was read before its token was judged'] : []),
    ]
  },
}
