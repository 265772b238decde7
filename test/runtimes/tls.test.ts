import { expect } from 'bun:test'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { request, type RequestOptions } from 'node:https'
import { join } from 'node:path'
import { withFolder } from '../runtime/folder.ts'
import { isInstalled, type RuntimeName, startNode } from '../runtime/nodeProcess.ts'
import {
  type Certificate,
  CLIENT_EXTENSION,
  createAuthority,
  HAS_OPENSSL,
  SERVER_EXTENSION,
} from '../support/programs/certificates.ts'
import { independent } from '../support/scenario.ts'
import { until } from '../support/until.ts'

const RUNTIMES: readonly RuntimeName[] = ['bun', 'node', 'deno']
const PASSWORD = 'secret'

const fileOf = (path: string): string => readFileSync(path, 'utf8')

/** The status and the body of an answer, or `refused` where there is none. */
const ask = (url: string, options: RequestOptions, body?: string): Promise<string> =>
  new Promise(resolve => {
    const headers = { 'content-type': 'application/json', connection: 'close', ...options.headers }
    // Without an agent no session is resumed, in which no certificate is shown.
    const method = body === undefined ? 'GET' : 'POST'
    const sent = request(url, { agent: false, method, ...options, headers })
    sent.on('response', response => {
      let text = ''
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString()
      })
      response.on('end', () => resolve(`${response.statusCode} ${text}`))
      response.on('error', () => resolve('refused'))
    })
    sent.on('upgrade', (_, socket) => {
      socket.destroy()
      resolve('upgraded')
    })
    sent.on('error', () => resolve('refused'))
    sent.end(body)
  })

const CALL = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
const ANSWER = '200 {"jsonrpc":"2.0","id":1,"result":"0x539"}'
const UPGRADE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
}

independent.each((HAS_OPENSSL ? RUNTIMES.filter(isInstalled) : []).map(runtime => [runtime] as const))(
  'given a node on %s with TLS on its ports, then only clients of the authority are answered, where that is asked for',
  runtime =>
    withFolder(async folder => {
      const ours = createAuthority(folder, 'ours')
      const other = createAuthority(folder, 'other')
      const server = ours.issue('localhost', SERVER_EXTENSION)
      const store = ours.pack('store', server, PASSWORD)
      const passwordFile = join(folder, 'password')
      writeFileSync(passwordFile, `${PASSWORD}\n`)
      const node = await startNode(
        join(folder, 'data'),
        [
          '--rpc-http-tls-enabled',
          `--rpc-http-tls-cert-file=${server.cert}`,
          `--rpc-http-tls-key-file=${server.key}`,
          '--rpc-http-tls-client-auth-enabled',
          `--rpc-http-tls-trustcert-file=${ours.cert}`,
          '--rpc-ws-enabled',
          '--rpc-ws-port=0',
          '--rpc-ws-ssl-enabled',
          `--rpc-ws-ssl-keystore-file=${store}`,
          '--rpc-ws-ssl-keystore-type=PKCS12',
          `--rpc-ws-ssl-keystore-password-file=${passwordFile}`,
          '--rpc-ws-ssl-client-auth-enabled',
          `--rpc-ws-ssl-trustcert-file=${ours.cert}`,
          '--graphql-http-enabled',
          '--graphql-http-port=0',
          '--graphql-tls-enabled',
          `--graphql-tls-cert-file=${server.cert}`,
          `--graphql-tls-key-file=${server.key}`,
          '--graphql-mtls-enabled',
          `--graphql-tls-trustcert-file=${ours.cert}`,
        ],
        { runtime },
      )
      try {
        const ca = fileOf(ours.cert)
        const as = ({ cert, key }: Certificate) => ({ ca, cert: fileOf(cert), key: fileOf(key) })
        const client = ours.issue('client', CLIENT_EXTENSION)
        expect(await ask(node.url, as(client), CALL)).toBe(ANSWER)
        const strangers = [
          { ca },
          { cert: fileOf(client.cert), key: fileOf(client.key) },
          as(other.issue('stranger', CLIENT_EXTENSION)),
          as(ours.issue('ended', CLIENT_EXTENSION, -1)),
        ]
        const areRefused = async (url: string, more: RequestOptions, body?: string): Promise<void> => {
          const answers = strangers.map(options => ask(url, { ...options, ...more }, body))
          expect(await Promise.all(answers)).toEqual(strangers.map(() => 'refused'))
        }
        await areRefused(node.url, {}, CALL)
        expect(await ask(node.url, as(client), CALL)).toBe(ANSWER)

        const wsUrl = node.wsUrl?.replace('ws:', 'https:') ?? ''
        expect(await ask(wsUrl, { ...as(client), headers: UPGRADE })).toBe('upgraded')
        await areRefused(wsUrl, { headers: UPGRADE })

        const graphqlUrl = `${node.graphqlUrl?.replace('http:', 'https:')}/graphql`
        const query = '{"query":"{ chainID }"}'
        expect(await ask(graphqlUrl, as(client), query)).toBe('200 {"data":{"chainID":"0x539"}}')
        await areRefused(graphqlUrl, {}, query)

        // Files that cannot be used change nothing; others count from the next connection on.
        const renewed = other.issue('localhost2', SERVER_EXTENSION)
        copyFileSync(renewed.cert, server.cert)
        process.kill(node.pid, 'SIGHUP')
        await until(() =>
          node.output().includes('the certificates stay as they are: --rpc-http-tls-key-file'),
        )
        expect(await ask(node.url, as(client), CALL)).toBe(ANSWER)
        copyFileSync(renewed.key, server.key)
        copyFileSync(other.pack('store2', renewed, PASSWORD), store)
        process.kill(node.pid, 'SIGHUP')
        await until(() => node.output().includes('the certificates were read again'))
        const theirs = { ...as(client), ca: fileOf(other.cert) }
        expect(await ask(node.url, theirs, CALL)).toBe(ANSWER)
        expect(await ask(node.url, as(client), CALL)).toBe('refused')
        expect(await ask(node.url, { ca: theirs.ca }, CALL)).toBe('refused')
        expect(await ask(wsUrl, { ...theirs, headers: UPGRADE })).toBe('upgraded')
        expect(await ask(graphqlUrl, theirs, query)).toBe('200 {"data":{"chainID":"0x539"}}')
      } finally {
        await node.stop()
      }
    }),
)
