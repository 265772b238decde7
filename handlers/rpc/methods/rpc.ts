import { type Method, method } from '../method.ts'
import { openRpcDocument } from '../openrpc/document.ts'
import { CONNECTION_METHODS } from '../subscriptions/methods.ts'

/** Methods about the API itself, always enabled. @param all returns every row; called when a method runs */
export const rpcMethods = (all: () => readonly Method[]): readonly Method[] => [
  method({
    name: 'rpc_modules',
    summary: 'Returns the enabled method groups',
    params: {},
    result: 'Object',
    handle: (_, { options }) => Object.fromEntries(options.apis.map(api => [api.toLowerCase(), '1.0'])),
  }),
  method({
    name: 'rpc_discover',
    summary: 'Returns this document',
    params: {},
    result: 'Object',
    handle: ({ connection }, { options }) =>
      openRpcDocument(connection === undefined ? all() : [...all(), ...CONNECTION_METHODS], options),
  }),
]
