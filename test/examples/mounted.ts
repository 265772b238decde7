// Serves JSON-RPC below a path of another Hono application, and asks it for a balance.
import { Hono } from 'hono'
import { openStorage } from 'quorate'
import { ZERO_ADDRESS } from 'quorate/block'
import { developmentGenesis, openChain, parseGenesis } from 'quorate/chain'
import { createReadOnlyHost, createRpcApp, createRpcContext } from 'quorate/rpc'
import { openChainStore } from 'quorate/store'

const reportError = (what: string, error: unknown): void => console.error(what, error)

const store = await openChainStore(await openStorage('memory', ''))
const chain = await openChain({
  genesis: parseGenesis(developmentGenesis({ validator: ZERO_ADDRESS })),
  store,
  onError: error => reportError('a listener', error),
})
const rpc = createRpcApp(createRpcContext(createReadOnlyHost({ chain, reportError })))

const app = new Hono()
app.get('/', c => c.text('an application of yours'))
app.mount('/rpc', request => rpc.fetch(request))

const response = await app.request('http://localhost/rpc', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'eth_getBalance',
    params: ['0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266', 'latest'],
  }),
})
console.log(await response.text())
await store.close()
