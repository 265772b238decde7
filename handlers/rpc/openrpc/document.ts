import type { RpcOptions } from '../context.ts'
import { RPC_ERRORS } from '../dispatch/errors.ts'
import type { Method } from '../methods/method.ts'
import { METHOD_TEXTS } from './results.ts'
import { SCHEMAS, type Schema, schemaOf, schemaRef } from './schemas.ts'

const OPENRPC_VERSION = '1.3.2'

/** Of the document and of what is in it: anything at all. */
const ANYTHING: Schema = {}

const parameterOf = (method: string, written: string): unknown => {
  const schema = schemaOf(method, written)
  return {
    name: written.replace('?', ''),
    required: !written.endsWith('?'),
    schema: schema === undefined ? ANYTHING : schemaRef(schema),
  }
}

const methodOf = ({ name, group, params }: Method): unknown => {
  const [summary, result] = METHOD_TEXTS[name] ?? [name, undefined]
  return {
    name,
    summary,
    tags: [{ name: group }],
    paramStructure: 'by-position',
    params: params.map(written => parameterOf(name, written)),
    result: { name: 'result', schema: result === undefined ? ANYTHING : schemaRef(result) },
  }
}

/** What rpc_discover answers: an OpenRPC document of the methods that are served, made from the method table. */
export const openRpcDocument = (
  methods: readonly Method[],
  { apis, clientVersion }: RpcOptions,
): unknown => ({
  openrpc: OPENRPC_VERSION,
  info: {
    title: 'Quorate JSON-RPC',
    version: /\/v([^/]+)/.exec(clientVersion)?.[1] ?? clientVersion,
    description: `Methods of ${apis.join(', ')}, as Besu has them.`,
  },
  methods: methods.filter(({ group }) => group === 'RPC' || apis.includes(group)).map(methodOf),
  components: { schemas: SCHEMAS, errors: RPC_ERRORS },
})
