import { toHex } from '../../../core/bytes/hex.ts'
import { signedTransfer } from '../../cluster/support/poolFlood.ts'
import { FREE_GAS, freshKey } from '../../cluster/support/slowTransactions.ts'
import { until } from '../../cluster/support/waiting.ts'
import { code } from '../../core/evm/harness.ts'
import { connectRawWs, framesOf, type RawWs } from '../../runtime/rawWs.ts'
import type { Attack, AttackContext } from '../attack.ts'

const CLIENTS = 40
const FILTERS = 1_024
/** Each has some 25,000 logs. */
const TRANSACTIONS = 3
const SECONDS = 20
/** Blocks by which the heads of another client may be behind those of the node: one is under way. */
const BEHIND_MAX = 2
const FREE = { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n, gasLimit: 29_000_000n }

/** Initialization code that logs its gas as a topic until little of it is left. */
const LOGGING = code('JUMPDEST', ['GAS', 1, 0, 0, 'LOG2'], [10_000, 'GAS GT', 0, 'JUMPI'], 'STOP')

const topic = (number: number): string => `0x${number.toString(16).padStart(64, '0')}`

/** Filters that no log matches, or such that differ in their range alone and match each log. */
const filterOf = (client: number, number: number): object =>
  client % 8 === 0
    ? { fromBlock: '0x0', toBlock: `0x${(2 ** 32 + client * FILTERS + number).toString(16)}` }
    : { topics: [null, topic(2 ** 40 + client * FILTERS + number)] }

const subscribe = (client: RawWs, index: number): void => {
  for (let id = 0; id < FILTERS; id++)
    client.send(
      JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_subscribe', params: ['logs', filterOf(index, id)] }),
    )
}

type Notification = { readonly params?: { readonly result: { readonly number: string } } }

const lastHead = (client: RawWs): number => {
  const last = framesOf(client.received()).at(-1)
  const { params } = JSON.parse(last?.text ?? '{}') as Notification
  return Number(params?.result.number ?? 0)
}

const sendLogs = async ({ cluster, random }: AttackContext): Promise<void> => {
  const sender = random.below(1_000_000)
  for (let index = 0; index < TRANSACTIONS; index++) {
    const key = freshKey(4_000 + sender + index)
    const raw = toHex(signedTransfer(key, { ...FREE, to: undefined, data: LOGGING }))
    const hash = await cluster.node(1).rpc<string>('eth_sendRawTransaction', raw)
    await until('the logs', () => cluster.node(1).rpc('eth_getTransactionReceipt', hash))
  }
}

/** The most blocks by which the client was behind the node. */
const watchHeads = async (context: AttackContext, client: RawWs): Promise<number> => {
  let behind = 0
  for (let second = 0; second < SECONDS; second++) {
    await Bun.sleep(1_000)
    const head = Number(await context.cluster.node(1).rpc<string>('eth_blockNumber'))
    behind = Math.max(behind, head - lastHead(client))
  }
  return behind
}

export const logSubscriptions: Attack = {
  name: 'log-subscriptions',
  what: `Connects ${CLIENTS} WebSocket clients with ${FILTERS} different log filters each, and makes blocks of 25,000 logs, while another client waits for heads.`,
  network: { ...FREE_GAS, args: [...FREE_GAS.args, '--rpc-ws-enabled', '--rpc-ws-port=0'] },
  run: async context => {
    const { cluster, say } = context
    const { wsUrl } = cluster.node(1)
    if (wsUrl === undefined) return ['the node serves no WebSocket']
    const other = await connectRawWs(wsUrl)
    other.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }))
    const clients = await Promise.all(Array.from({ length: CLIENTS }, () => connectRawWs(wsUrl)))
    for (const [index, client] of clients.entries()) subscribe(client, index)
    await until('a head', () => Promise.resolve(lastHead(other) > 0))
    const [behind] = await Promise.all([watchHeads(context, other), sendLogs(context)])
    const bytes = clients.reduce((sum, { receivedBytes }) => sum + receivedBytes, 0)
    say(`another client was at most ${behind} blocks behind; the attacker got ${bytes} bytes`)
    for (const client of [...clients, other]) client.destroy()
    return behind > BEHIND_MAX ? [`newHeads of another client were ${behind} blocks behind`] : []
  },
}
