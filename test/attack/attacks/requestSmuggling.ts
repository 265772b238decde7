import { createConnection } from 'node:net'
import type { Attack } from '../attack.ts'

/** The id of the hidden request: no answer may hold it. */
const MARKER = 'smuggled'
const HIDDEN = `{"jsonrpc":"2.0","id":"${MARKER}","method":"web3_clientVersion"}`
const HIDDEN_REQUEST = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${HIDDEN.length}\r\n\r\n${HIDDEN}`
const BODY = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
const CHUNKED = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`
const WAIT_MS = 300

const request = (headers: readonly string[], body: string): string =>
  `POST / HTTP/1.1\r\nHost: localhost\r\n${headers.map(header => `${header}\r\n`).join('')}\r\n${body}`

/**
 * Requests whose end two readers could see at different places. Whatever follows the end that the node sees must not be
 * answered, because a proxy in front of it may have taken it for a part of the body.
 */
const PAYLOADS: readonly (readonly [string, string])[] = [
  ...[
    'chunked',
    ' chunked',
    'chunked ',
    '\tchunked',
    'Chunked',
    'xchunked',
    'chunked, identity',
    'identity, chunked',
    'identity',
    'chunked, chunked',
    'gzip, chunked',
    '"chunked"',
    'chunked;a=b',
  ].map(
    coding =>
      [
        `both lengths, coding "${coding}"`,
        request(
          [`Content-Length: ${CHUNKED.length + HIDDEN_REQUEST.length}`, `Transfer-Encoding: ${coding}`],
          `${CHUNKED}${HIDDEN_REQUEST}`,
        ),
      ] as const,
  ),
  ...['+47', '-1', '0x2f', '47,47', '47 47', '4 7', '047', '47\t', '1e2', '', '99999999999999999999'].map(
    length =>
      [`length "${length}"`, request([`Content-Length: ${length}`], `${BODY}${HIDDEN_REQUEST}`)] as const,
  ),
  [
    'two lengths',
    request(['Content-Length: 0', `Content-Length: ${BODY.length}`], `${BODY}${HIDDEN_REQUEST}`),
  ],
  ['a space before the colon', request([`Content-Length : ${BODY.length}`], `${BODY}${HIDDEN_REQUEST}`)],
  ['a folded header', request(['X: y', ` Content-Length: ${BODY.length}`], `${BODY}${HIDDEN_REQUEST}`)],
  [
    'a chunk size with a sign',
    request(['Transfer-Encoding: chunked'], `+2f\r\n${BODY}\r\n0\r\n\r\n${HIDDEN_REQUEST}`),
  ],
  [
    'a chunk size of 2^64',
    request(['Transfer-Encoding: chunked'], `10000000000000000\r\n${BODY}${HIDDEN_REQUEST}`),
  ],
  ['bare line feeds', `POST / HTTP/1.1\nHost: localhost\nContent-Length: 0\n\n${HIDDEN_REQUEST}`],
]

/** What a node answers to these bytes before it closes the connection or stays silent. */
const answerTo = (port: number, bytes: string): Promise<string> =>
  new Promise(resolve => {
    let answer = ''
    const socket = createConnection({ host: '127.0.0.1', port })
    const timer = setTimeout(() => socket.destroy(), WAIT_MS)
    socket.on('data', data => {
      answer += data.toString('latin1')
    })
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(answer)
    })
    socket.write(bytes, 'latin1')
  })

/**
 * Well-framed requests may follow each other on a connection; those of two framings may not. Deno takes a line feed alone for the
 * end of a line, as RFC 9112 (2.2) allows; whoever does not must refuse such a request, and finds no other end of it.
 */
const isAmbiguous = (what: string, client: string): boolean =>
  !what.startsWith('length "0') &&
  !what.startsWith('length "47\t') &&
  !(what === 'bare line feeds' && client.includes('/deno-'))

export const requestSmuggling: Attack = {
  name: 'request-smuggling',
  what: `Sends requests of ${PAYLOADS.length} kinds whose end is ambiguous, with a second request hidden behind it.`,
  run: async ({ cluster, say }) => {
    const faults: string[] = []
    for (const index of cluster.running()) {
      const port = Number(new URL(cluster.node(index).url).port)
      const client = await cluster.node(index).rpc<string>('web3_clientVersion')
      for (const [what, bytes] of PAYLOADS) {
        const answer = await answerTo(port, bytes)
        if (isAmbiguous(what, client) && answer.includes(MARKER))
          faults.push(`the hidden request was answered: ${what}`)
      }
    }
    say(`${PAYLOADS.length} kinds at ${cluster.running().length} nodes`)
    return [...new Set(faults)]
  },
}
