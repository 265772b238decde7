import type { RpcContext } from '../context.ts'
import { RPC_ERRORS, RpcError, type RpcErrorName } from '../errors.ts'
import type { RpcAllowlist } from '../permissions.ts'
import { given } from '../parameters/values.ts'
import { type Method, method, type Params } from '../method.ts'

/** Besu's answer to a successful change. */
const SUCCESS = 'Success'

/** Entries of one request: more than any consortium has members. */
const ENTRIES_MAX = 10_000

type Kind = 'accounts' | 'nodes'

const NOT_ENABLED = { accounts: 'ACCOUNT_ALLOWLIST_OFF', nodes: 'NODE_ALLOWLIST_OFF' } as const
const INVALID_LIST = { accounts: 'INVALID_ACCOUNT_PARAMS', nodes: 'INVALID_NODE_PARAMS' } as const

const listOf = ({ permissions }: RpcContext, kind: Kind): RpcAllowlist => {
  const list = permissions?.[kind]
  if (list === undefined) throw new RpcError(NOT_ENABLED[kind])
  return list
}

/** @throws RpcError if the parameter is not an array of strings */
const entriesOf = (params: Params, kind: Kind): readonly string[] => {
  const value = given(params, 0)
  if (!Array.isArray(value) || value.length > ENTRIES_MAX || !value.every(entry => typeof entry === 'string'))
    throw new RpcError(INVALID_LIST[kind])
  return value
}

const errorNameOf = (error: unknown): RpcErrorName | undefined => {
  const { code } = error as { readonly code?: unknown }
  const name = `PERM_${String(code)}`
  return Object.hasOwn(RPC_ERRORS, name) ? (name as RpcErrorName) : undefined
}

/** Makes a change; converts a refusal to Besu's error. @throws RpcError */
const changing = (change: () => void): string => {
  try {
    change()
    return SUCCESS
  } catch (cause) {
    const name = errorNameOf(cause)
    if (name === undefined) throw cause
    throw new RpcError(name, { cause })
  }
}

const methodsOf = (kind: Kind, one: 'Accounts' | 'Nodes'): readonly Method[] => {
  const parameter = one === 'Accounts' ? 'accounts' : 'enodes'
  return [
    method({
      name: `perm_add${one}ToAllowlist`,
      summary: `Adds ${kind} to the allowlist`,
      params: { [parameter]: 'Texts' },
      result: 'Text',
      handle: ({ params }, context) => {
        const entries = entriesOf(params, kind)
        const list = listOf(context, kind)
        return changing(() => list.add(entries))
      },
    }),
    method({
      name: `perm_remove${one}FromAllowlist`,
      summary: `Removes ${kind} from the allowlist`,
      params: { [parameter]: 'Texts' },
      result: 'Text',
      handle: ({ params }, context) => {
        const entries = entriesOf(params, kind)
        const list = listOf(context, kind)
        return changing(() => list.remove(entries))
      },
    }),
    method({
      name: `perm_get${one}Allowlist`,
      summary: `Returns the allowlist of ${kind}`,
      params: {},
      result: 'Texts',
      handle: (_, context) => listOf(context, kind).list(),
    }),
  ]
}

/** The allowlists: accounts that may send transactions through this node, and nodes that may connect to it. */
export const PERM_METHODS: readonly Method[] = [
  ...methodsOf('accounts', 'Accounts'),
  ...methodsOf('nodes', 'Nodes'),
  method({
    name: 'perm_reloadPermissionsFromFile',
    summary: 'Reads both allowlists from their files again',
    params: {},
    result: 'Text',
    handle: (_, { permissions }) => {
      if (permissions === undefined) throw new RpcError('ALLOWLISTS_OFF')
      return changing(() => permissions.reload())
    },
  }),
]
