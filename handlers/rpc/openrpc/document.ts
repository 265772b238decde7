import type { RpcOptions } from '../context.ts'
import { RPC_ERRORS } from '../errors.ts'
import type { Method, Parameter } from '../method.ts'
import { SCHEMAS, schemaRef } from './schemas.ts'

const OPENRPC_VERSION = '1.3.2'

const parameterOf = ({ name, isRequired, schema }: Parameter): unknown => ({
  name,
  required: isRequired,
  schema: schemaRef(schema),
})

const methodOf = ({ name, group, summary, params, result }: Method): unknown => ({
  name,
  summary,
  tags: [{ name: group }],
  paramStructure: 'by-position',
  params: params.map(parameterOf),
  result: { name: 'result', schema: schemaRef(result) },
})

/** The answer to rpc_discover: an OpenRPC document of the enabled methods, built from the method table. */
export const openRpcDocument = (
  methods: readonly Method[],
  { apis, clientVersion }: RpcOptions,
): unknown => ({
  openrpc: OPENRPC_VERSION,
  info: {
    title: 'Quorate JSON-RPC',
    version: /\/v([^/]+)/.exec(clientVersion)?.[1] ?? clientVersion,
    description: `JSON-RPC methods of the groups ${apis.join(', ')}, compatible with Hyperledger Besu.`,
  },
  methods: methods.filter(({ group }) => group === 'RPC' || apis.includes(group)).map(methodOf),
  components: { schemas: SCHEMAS, errors: RPC_ERRORS },
})
