import { toBareHex } from '../../core/bytes/hex.ts'
import type { Address } from '../../core/bytes/bytes.ts'
import type { Account, StateReader } from '../../core/state/account.ts'
import type { Caller, Permission } from '../auth/caller.ts'
import type { RpcContext, Snapshot } from '../rpc/context.ts'
import { RpcError } from '../rpc/errors.ts'
import { createProofNotes, type ProofNotes } from '../rpc/dispatch/answerProof.ts'
import { createRunner, type Runner } from '../rpc/dispatch/runner.ts'
import { readState } from '../rpc/state/state.ts'
import { CALL_METHODS } from './callMethods.ts'
import { type Budget, createBudget } from './limits/budget.ts'
import { createYieldingList, type YieldingList } from './limits/yieldingList.ts'
import { createRequestStore } from './requestStore.ts'

/** The resolvers' context for one request, or for one event of a subscription. */
export type RequestScope = {
  /** The context of JSON-RPC methods, over a store that caches every read. */
  readonly rpc: RpcContext
  /** HTTP headers of the answer; undefined where the host has no snapshots. */
  readonly answerHeaders: Snapshot['answerHeaders'] | undefined
  /** What the answer rests on: fields that read something else than the store say so. */
  readonly proofs: ProofNotes
  readonly budget: Budget
  readonly yieldingList: YieldingList
  /** Runs calls, on a call worker where there is one. */
  readonly runner: () => Runner
  /** True once the client has disconnected or the request has timed out; long work checks it regularly. */
  readonly expired: () => boolean
  /** `Authorization` header of the request. */
  readonly authorization: string | null
  /** @throws RpcError where the caller lacks the permission */
  readonly require: (needed: Permission) => void
  /** An account in the state after a block; undefined where the account or the block does not exist. */
  readonly account: (number: bigint, address: Address) => Promise<Account | undefined>
}

/** Parts of a request that its scope is built from. */
export type RequestParts = {
  readonly rpc: RpcContext
  readonly caller: Caller
  readonly authorization: string | null
  readonly expired: () => boolean
  /** Ends the request with that error. */
  readonly abort: (error: Error) => void
}

/** The context of the execution: the parts, and the current scope. */
export type GraphqlContext = {
  readonly parts: RequestParts
  scope: RequestScope
}

/** Reads from the state after a block; undefined where there is no such block. */
export const stateAt = async <T>(
  rpc: RpcContext,
  number: bigint,
  read: (state: StateReader) => T,
): Promise<T | undefined> => (await readState(rpc, { kind: 'number', number }, read)) ?? undefined

const createAccounts = (rpc: RpcContext): RequestScope['account'] => {
  const known = new Map<string, Promise<Account | undefined>>()
  return (number, address) => {
    const key = `${number} ${toBareHex(address)}`
    let account = known.get(key)
    if (account === undefined) {
      account = stateAt(rpc, number, state => state.account(address))
      known.set(key, account)
    }
    return account
  }
}

const createRequire = (caller: Caller): RequestScope['require'] => {
  const granted = new Set<string>()
  return needed => {
    if (granted.has(needed.permission)) return
    if (!caller.permits(needed)) {
      caller.denied(needed)
      throw new RpcError('UNAUTHORIZED')
    }
    granted.add(needed.permission)
  }
}

/** The context with the chain fixed at one head, where the host has snapshots. */
const atOneHead = (rpc: RpcContext): RpcContext & { readonly answerHeaders?: Snapshot['answerHeaders'] } =>
  rpc.snapshot === undefined ? rpc : { ...rpc, ...rpc.snapshot() }

export const createScope = ({
  rpc: given,
  caller,
  authorization,
  expired,
  abort,
}: RequestParts): RequestScope => {
  const { answerHeaders, ...shared } = atOneHead(given)
  const rpc: RpcContext = {
    ...shared,
    chain: { ...shared.chain, store: createRequestStore(shared.chain.store, abort) },
  }
  let runner: Runner | undefined
  const proofs = createProofNotes()
  proofs.note('values')
  return {
    rpc,
    answerHeaders,
    proofs,
    runner: () => (runner ??= createRunner(CALL_METHODS, rpc)),
    budget: createBudget(abort),
    yieldingList: createYieldingList(rpc.scheduler.createYield()),
    expired,
    authorization,
    require: createRequire(caller),
    account: createAccounts(rpc),
  }
}

export const createGraphqlContext = (parts: RequestParts): GraphqlContext => ({
  parts,
  scope: createScope(parts),
})
