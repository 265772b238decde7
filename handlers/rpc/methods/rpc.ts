import { type Method, method } from '../method.ts'

export const RPC_METHODS: readonly Method[] = [
  method('rpc_modules', [], (_, { options }) =>
    Object.fromEntries(options.apis.map(api => [api.toLowerCase(), '1.0'])),
  ),
]
