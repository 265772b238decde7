import type { EnodeRefusal, RpcContext, RpcNetwork } from '../context.ts'
import { RpcError, type RpcErrorName } from '../errors.ts'
import { LOG_LEVELS, type LogLevel } from '../logLevels.ts'
import { type Method, method, type Params } from '../method.ts'
import { given, requireCount, required } from '../parameters/values.ts'
import { nodeShape, peerShape } from '../shapes/node.ts'
import { listeningEnode, networkOf } from './network.ts'

/** Besu's errors for a refused enode URL. */
const REFUSALS: Readonly<Record<EnodeRefusal, RpcErrorName>> = {
  SYNTAX: 'PARSE_ERROR',
  INVALID_NODE_ID: 'INVALID_NODE_ID',
  NODE_ID_NOT_A_KEY: 'NODE_ID_NOT_A_KEY',
  INVALID_HOST: 'PARSE_ERROR',
  INVALID_PORT: 'PARSE_ERROR',
  LOCAL_NODE: 'LOCAL_NODE',
}

/** Maximum length of a reason in an answer: it quotes the URL. */
const REASON_LENGTH_MAX = 1000

const refusalOf = (error: unknown): RpcErrorName | undefined => {
  const { code } = error as { readonly code?: unknown }
  return typeof code === 'string' && Object.hasOwn(REFUSALS, code)
    ? REFUSALS[code as EnodeRefusal]
    : undefined
}

const modifyPeer = async (
  params: Params,
  context: RpcContext,
  change: (network: RpcNetwork, enode: string) => Promise<boolean>,
): Promise<boolean> => {
  requireCount(params, 1)
  const enode = given(params, 0)
  if (typeof enode !== 'string') throw new RpcError('INVALID_ENODE')
  const network = networkOf(context)
  await listeningEnode(network)
  try {
    return await change(network, enode)
  } catch (cause) {
    const refusal = refusalOf(cause)
    if (refusal === undefined) throw cause
    const { message } = cause as Error
    const isShown = refusal === 'PARSE_ERROR' && message.length <= REASON_LENGTH_MAX
    throw new RpcError(refusal, { data: isShown ? message : undefined, cause })
  }
}

const isLogLevel = (value: unknown): value is LogLevel =>
  typeof value === 'string' && (LOG_LEVELS as readonly string[]).includes(value)

/** Maximum number of node parts in one request. */
const LOG_PARTS_MAX = 100
/** Maximum length of a part's name. */
const LOG_PART_LENGTH_MAX = 100

const readParts = (value: unknown): readonly string[] => {
  if (value === undefined) return []
  if (!Array.isArray(value) || value.length > LOG_PARTS_MAX) throw new RpcError('INVALID_LOG_LEVEL')
  return value.map(part => {
    if (typeof part !== 'string' || part.length > LOG_PART_LENGTH_MAX) throw new RpcError('INVALID_LOG_LEVEL')
    return part
  })
}

/** Methods about peers, the node itself, and its log. */
export const ADMIN_METHODS: readonly Method[] = [
  method({
    name: 'admin_nodeInfo',
    summary: 'Returns information about this node',
    params: {},
    result: 'Object',
    handle: async (_, context) => nodeShape(context, await listeningEnode(networkOf(context))),
  }),
  method({
    name: 'admin_peers',
    summary: 'Returns the connected peers',
    params: {},
    result: 'Objects',
    handle: (_, context) => {
      const network = networkOf(context)
      return network.peers().map(peer => peerShape(peer, context, network))
    },
  }),
  method({
    name: 'admin_addPeer',
    summary: 'Connects a peer and keeps it connected',
    params: { enode: 'Enode' },
    result: 'Boolean',
    handle: ({ params }, context) =>
      modifyPeer(params, context, (network, enode) => {
        if (context.permissions?.permitsNode(enode) === false) throw new RpcError('NON_PERMITTED_NODE')
        return network.addPeer(enode)
      }),
  }),
  method({
    name: 'admin_removePeer',
    summary: 'Disconnects a peer and stops redialing it',
    params: { enode: 'Enode' },
    result: 'Boolean',
    handle: ({ params }, context) =>
      modifyPeer(params, context, (network, enode) => network.removePeer(enode)),
  }),
  method({
    name: 'admin_changeLogLevel',
    summary: 'Sets the log level of the node or of some of its parts',
    params: { level: 'LogLevel', 'parts?': 'LogParts' },
    result: 'Text',
    handle: ({ params }, context) => {
      const level = given(params, 0)
      if (!isLogLevel(level)) throw new RpcError('INVALID_LOG_LEVEL')
      const parts = readParts(given(params, 1))
      required(context.setLogLevel, 'METHOD_NOT_ENABLED')(level, parts)
      return 'Success'
    },
  }),
]
