import { connect } from 'node:net'
import { expect } from 'bun:test'
import { withFolder } from '../runtime/folder.ts'
import { isInstalled, type RuntimeName, startNode } from '../runtime/nodeProcess.ts'
import { independent } from '../support/scenario.ts'

const RUNTIMES: readonly RuntimeName[] = ['bun', 'node', 'deno']

const CALL = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'

/** All that comes until the other side closes the connection, or until `isEnough`. */
const sendAndRead = (url: string, sent: string, isEnough: (text: string) => boolean): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    let received = ''
    socket.setEncoding('utf8')
    socket.on('data', text => {
      received += text
      if (isEnough(received)) socket.destroy()
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(received))
    socket.write(sent)
  })

const request = (headers: string, body: string): string =>
  `POST / HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n\r\n${body}`

const ANSWER = '{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"Timeout expired"}}'

independent.each(RUNTIMES.filter(isInstalled).map(runtime => [runtime] as const))(
  'given a node on %s, when a request announces a body and does not send it, then it is answered in time and its connection ends',
  runtime =>
    withFolder(async folder => {
      const node = await startNode(folder, ['--Xhttp-timeout-seconds=1'], { runtime })
      try {
        // Deno answers, and waits for the rest all the same.
        const isEnough = (text: string): boolean => runtime === 'deno' && text.endsWith(ANSWER)
        const requests = [
          request(`Content-Length: ${CALL.length}`, CALL.slice(0, 20)),
          request('Transfer-Encoding: chunked', `5\r\n${CALL.slice(0, 5)}\r\n`),
        ]
        const late = await Promise.all(requests.map(sent => sendAndRead(node.url, sent, isEnough)))
        for (const answer of late) {
          expect(answer).toStartWith('HTTP/1.1 408')
          expect(answer).toContain(ANSWER)
        }
        const whole = await fetch(node.url, { method: 'POST', body: CALL })
        expect(await whole.json()).toMatchObject({ result: '0x539' })
      } finally {
        await node.stop()
      }
    }),
)
