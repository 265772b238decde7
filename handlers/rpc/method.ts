import type { RpcContext } from './context.ts'
import type { ProofNotes } from './dispatch/answerProof.ts'
import type { Outcome } from './dispatch/envelope.ts'
import type { Connection } from './connection.ts'
import type { SchemaName } from './openrpc/schemas.ts'

/** JSON values by position; a missing value and null both mean "not given". */
export type Params = readonly unknown[]

/** One call of a method. */
export type Call = {
  readonly params: Params
  /** True once the client has disconnected or the request has timed out; long work checks it regularly. */
  readonly expired: () => boolean
  /** The WebSocket connection of the request; undefined over HTTP. */
  readonly connection?: Connection | undefined
  /** `Authorization` header of the request, for a call that is forwarded. */
  readonly authorization?: string | null | undefined
  /** What the answer rests on; undefined where no reader answers. */
  readonly proofs?: ProofNotes | undefined
}

/** One parameter of a method, by position. */
export type Parameter = {
  readonly name: string
  readonly isRequired: boolean
  readonly schema: SchemaName
}

/** One row of the method table: everything about one method. */
export type Method = {
  readonly name: string
  /** API group that serves it, upper case. */
  readonly group: string
  /** Entry of a token that permits it: the name with colons. */
  readonly permission: string
  /** What the method does, in one line, for rpc_discover. */
  readonly summary: string
  readonly params: readonly Parameter[]
  /** Schema of the result. */
  readonly result: SchemaName
  /** Returns the result, a JSON value; undefined counts as null. @throws RpcError */
  readonly handle: (call: Call, context: RpcContext) => unknown
  /** Handles adjacent calls of a batch together where that is cheaper. Returns one outcome for each, in order. */
  readonly handleMany?: (calls: readonly Call[], context: RpcContext) => Promise<readonly Outcome[]>
  /**
   * Where the host has call workers: `always` runs the method on one, `long` only when it takes longer than a short call. An
   * offloaded method uses the chain and the options, and nothing else of the node.
   */
  readonly offload?: 'always' | 'long'
}

/** Besu's permission of a method: `eth_blockNumber` is `eth:blockNumber`. */
export const permissionOf = (name: string): string => name.replaceAll('_', ':')

/** The declaration of a row: parameters by name, optional ones with `?`. */
type MethodDeclaration = Omit<Method, 'group' | 'permission' | 'params'> & {
  readonly params: Readonly<Record<string, SchemaName>>
  /** By default the part of the name before the underscore. */
  readonly group?: string
}

const parameterOf = ([declaredName, schema]: readonly [string, SchemaName]): Parameter => ({
  name: declaredName.replace('?', ''),
  isRequired: !declaredName.endsWith('?'),
  schema,
})

/** Declares a row of the method table. */
export const method = ({ name, group, params, ...rest }: MethodDeclaration): Method => ({
  name,
  group: group ?? name.slice(0, name.indexOf('_')).toUpperCase(),
  permission: permissionOf(name),
  params: Object.entries(params).map(parameterOf),
  ...rest,
})

/** Declares one method of a development chain under the names that several tools have for it, with one result. */
export const developmentMethod = (
  names: readonly string[],
  row: Omit<MethodDeclaration, 'name' | 'group'>,
): readonly Method[] => names.map(name => method({ ...row, name, group: 'DEV' }))

/** Declares a method of a development chain that only changes something: Hardhat's name answers true, the others null, as anvil. */
export const developmentSetter = (
  names: readonly string[],
  {
    apply,
    ...row
  }: Omit<MethodDeclaration, 'name' | 'group' | 'result' | 'handle'> & {
    readonly apply: (call: Call, context: RpcContext) => unknown
  },
): readonly Method[] =>
  names.map(name => {
    const answer = name.startsWith('hardhat_') ? true : null
    return method({
      ...row,
      name,
      group: 'DEV',
      result: answer === null ? 'Nothing' : 'Boolean',
      handle: async (call, context) => {
        await apply(call, context)
        return answer
      },
    })
  })
