import { createInterface } from 'node:readline'
import process from 'node:process'
import { NO_AUTHENTICATION } from '../../../handlers/auth/authentication.ts'
import { createWsApp } from '../../../handlers/ws/app.ts'
import { serve } from '../../../runtime/serving/serve.ts'
import { startTestNode } from '../../handlers/support/testNode.ts'

/*
 * Serves WebSocket on the runtime that runs it: tells its port, then makes a block for each line that comes and tells when that
 * was committed, milliseconds since 1970.
 */

const tell = (number: number): void => void process.stdout.write(`${number}\n`)

const connectionsMax = Number(process.argv[2])
const node = await startTestNode()
let committed = 0
node.chain.onHead(() => {
  committed = performance.timeOrigin + performance.now()
})
const app = createWsApp(node.context, {
  hostAllowlist: ['*'],
  corsOrigins: [],
  connectionsMax,
  authentication: NO_AUTHENTICATION,
  clientOf: peer => peer,
})
const server = await serve({
  hostname: '127.0.0.1',
  portOption: 'port',
  hostOption: 'rpc-ws-host',
  port: 0,
  fetch: (request, peer) => app.fetch(request, peer),
  bodyBytesMax: 1024,
  webSocket: {
    upgrade: (request, peer) => app.upgrade(request, peer),
    frameBytesMax: 1024,
    messageBytesMax: 1024,
  },
})
tell(server.port)
for await (const _ of createInterface({ input: process.stdin })) {
  await node.mine()
  tell(committed)
}
process.exit(0)
