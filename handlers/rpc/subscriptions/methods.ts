import { isObject, type JsonObject } from '../../../core/json.ts'
import { toQuantity } from '../../../core/bytes/hex.ts'
import { AUTHENTICATE_METHOD } from '../../auth/connection.ts'
import type { Connection } from '../connection.ts'
import { RpcError } from '../errors.ts'
import { requirePool } from '../dispatch/forwarding.ts'
import { readLogFilter } from '../logs/filter.ts'
import { type Call, type Method, method, type Params } from '../method.ts'
import { flagOf, given, integerOf, required } from '../parameters/values.ts'
import type { PendingForm, Topic } from './subscriptions.ts'

/** Besu's `includeTransactions`, or geth's boolean in its place. */
const readIncludeTransactions = (options: unknown): boolean => {
  if (options === undefined) return false
  if (typeof options === 'boolean') return options
  const include = isObject(options) ? flagOf(options['includeTransactions'] ?? false) : undefined
  if (include === undefined)
    throw new RpcError('INVALID_REQUEST', {
      data: 'options: true, false, or an object with includeTransactions, which is true or false',
    })
  return include
}

/** Besu and geth have different options for whole transactions; each selects its own form of the notification. */
const readPendingForm = (options: unknown): PendingForm => {
  if (!readIncludeTransactions(options)) return 'hash'
  return options === true ? 'transaction' : 'detail'
}

/** Without a filter all logs match, as in geth. */
const readLogTopic = (value: unknown = {}): Topic => {
  try {
    const filter = readLogFilter(value)
    const { address, topics, fromBlock, toBlock } = value as JsonObject
    return { kind: 'logs', filter, text: JSON.stringify([address, topics, fromBlock, toBlock]) }
  } catch (error) {
    if (error instanceof RpcError)
      throw new RpcError('INVALID_REQUEST', {
        data: error.data ?? error.detail ?? 'options: a filter of logs',
        cause: error,
      })
    throw error
  }
}

/** Type names are case-sensitive, and every invalid parameter is an invalid request, as in Besu. @throws RpcError */
const readTopic = (params: Params): Topic => {
  const options = given(params, 1)
  switch (given(params, 0)) {
    case 'newHeads':
      return { kind: 'newHeads', includeTransactions: readIncludeTransactions(options) }
    case 'newPendingTransactions':
      return { kind: 'newPendingTransactions', form: readPendingForm(options) }
    case 'logs':
      return readLogTopic(options)
    case 'droppedPendingTransactions':
      return { kind: 'droppedPendingTransactions' }
    case 'syncing':
      return { kind: 'syncing' }
    default:
      throw new RpcError('INVALID_REQUEST')
  }
}

/** What a reader without a pool cannot tell. */
const POOL_TOPICS: ReadonlySet<Topic['kind']> = new Set([
  'newPendingTransactions',
  'droppedPendingTransactions',
])

const connectionOf = ({ connection }: Call): Connection => required(connection, 'METHOD_NOT_ENABLED')

/** Methods of WebSocket connections. They belong to the group RPC, so they are always enabled. */
export const CONNECTION_METHODS: readonly Method[] = [
  method({
    name: 'eth_subscribe',
    summary: 'Subscribes to new heads, logs, pending transactions or the sync status, over WebSocket',
    params: { type: 'SubscriptionType', 'options?': 'SubscriptionOptions' },
    result: 'Quantity',
    handle: (call, context) => {
      const topic = readTopic(call.params)
      if (POOL_TOPICS.has(topic.kind)) requirePool(context)
      return connectionOf(call).subscriptions.add(topic)
    },
    group: 'RPC',
  }),
  method({
    name: 'eth_unsubscribe',
    summary: 'Cancels a subscription',
    params: { subscriptionId: 'SubscriptionId' },
    result: 'Boolean',
    handle: call => {
      const id = required(integerOf(given(call.params, 0), 64), 'INVALID_REQUEST')
      if (!connectionOf(call).subscriptions.remove(toQuantity(id)))
        throw new RpcError('SUBSCRIPTION_NOT_FOUND')
      return true
    },
    group: 'RPC',
  }),
  // Open to everyone. Besu has no such method: there a connection keeps its first token.
  method({
    name: AUTHENTICATE_METHOD,
    summary: 'Presents a token on a WebSocket connection; returns its expiry in seconds since 1970',
    params: { token: 'Text' },
    result: 'Number',
    handle: async call => {
      const token = given(call.params, 0)
      if (typeof token !== 'string') throw new RpcError('INVALID_PARAMS')
      const expiresAtMs = await connectionOf(call).presentToken(token)
      return Math.floor(required(expiresAtMs, 'UNAUTHORIZED') / 1000)
    },
    group: 'RPC',
  }),
]
