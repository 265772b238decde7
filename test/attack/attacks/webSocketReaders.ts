import { connectRawWs, type RawWs } from '../../runtime/rawWs.ts'
import type { Attack } from '../attack.ts'

const CLIENTS = 60
const SECONDS = 15
/** Of each client in a second. */
const ASKED = 10
const FILTERS = [['newHeads'], ['logs', {}], ['newPendingTransactions', true], ['syncing']] as const
/** Blocks with all transactions, and answers of about a megabyte: what is answered piles up. */
const REQUESTS = [
  ['eth_getBlockByNumber', ['latest', true]],
  ['rpc_discover', []],
  ['eth_feeHistory', ['0x400', 'latest', [1, 50, 99]]],
] as const

const subscribe = (client: RawWs): void => {
  for (const [id, params] of FILTERS.entries())
    client.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_subscribe', params }))
}

const ask = (client: RawWs): void => {
  for (let times = 0; times < ASKED; times++)
    for (const [id, [method, params]] of REQUESTS.entries())
      client.send(JSON.stringify({ jsonrpc: '2.0', id: 10 + id, method, params }))
}

export const webSocketReaders: Attack = {
  name: 'websocket-clients-that-never-read',
  what: `Connects ${CLIENTS} WebSocket clients that subscribe to everything, ask for long answers and never read.`,
  network: { args: ['--logging-format=PLAIN', '--rpc-ws-enabled', '--rpc-ws-port=0'] },
  run: async ({ cluster, say }) => {
    const { wsUrl } = cluster.node(1)
    if (wsUrl === undefined) return ['the node serves no WebSocket']
    const clients = await Promise.all(Array.from({ length: CLIENTS }, () => connectRawWs(wsUrl)))
    const closed = new Set<RawWs>()
    for (const client of clients) {
      void client.closed.then(() => closed.add(client))
      subscribe(client)
      client.pause()
    }
    for (let second = 0; second < SECONDS; second++) {
      for (const client of clients) if (!closed.has(client)) ask(client)
      await Bun.sleep(1_000)
    }
    say(`${closed.size} of ${CLIENTS} clients were cut off`)
    for (const client of clients) client.destroy()
    return []
  },
}
