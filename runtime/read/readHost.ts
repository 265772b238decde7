import { toHex } from '../../core/bytes/hex.ts'
import type { Chain } from '../../core/chain/chain.ts'
import { createReadChain } from '../../core/chain/opening/readChain.ts'
import type { ChainConfiguration } from '../../core/genesis/configuration.ts'
import type { CachedStore } from '../../core/store/replica/immutableCache.ts'
import { createReadStore, type ReadStore, type ReplicaSnapshot } from '../../core/store/replica/readStore.ts'
import { createReadViews } from '../../core/store/replica/replicaTrie.ts'
import type { PrefetchTable, Views } from '../../core/store/views/views.ts'
import type { ChainHead, ChainStore } from '../../core/store/store.ts'
import { createRpcContext } from '../../handlers/http/app.ts'
import type {
  ForwardCall,
  HealthProblems,
  RpcContext,
  RpcHost,
  RpcOptions,
  Snapshot,
} from '../../handlers/rpc/context.ts'
import type { AnswerProof } from '../../handlers/rpc/dispatch/answerProof.ts'
import { withRunsBounded } from '../../handlers/rpc/dispatch/offload.ts'
import { createGasPriceOracle } from '../../handlers/rpc/fees/gasPrice.ts'
import { createReadOnlyHost } from '../../handlers/rpc/readOnlyHost.ts'
import type { HeadFollower } from './headFollower.ts'
import { withSecondRead } from './secondRead.ts'

/** How far a reader trusts the store that it reads. */
export type Verification = 'none' | 'head' | 'state'

export type ReadHostOptions = {
  readonly configuration: ChainConfiguration
  readonly genesis: ChainHead
  /** The store, behind a cache of what never changes. */
  readonly kv: CachedStore
  readonly follower: HeadFollower
  readonly verification: Verification
  /** Wraps the store of a snapshot with checks; not wrapped by default. */
  readonly checked?: (store: ReadStore, replica: ReplicaSnapshot) => ChainStore
  readonly options: Partial<RpcOptions>
  /** Parts of the host that the runtime provides. */
  readonly parts?: Pick<RpcHost, 'keep' | 'onNextTurn'>
  /** True where requests must not share what is being read: each then has a store of its own over the same views. */
  readonly isPerRequest?: boolean
  readonly forwardCall: ForwardCall
  readonly healthProblems: () => HealthProblems
  readonly reportError: RpcContext['reportError']
  readonly warn: RpcContext['warn']
}

/** The store of whatever head is current: for what outlives a request, such as a subscription. */
const liveStore = (current: () => ChainStore): ChainStore => {
  const names = Object.keys(current()) as (keyof ChainStore)[]
  const call =
    (name: keyof ChainStore) =>
    (...given: readonly unknown[]): unknown =>
      (current()[name] as (...all: readonly unknown[]) => unknown)(...given)
  return Object.fromEntries(names.map(name => [name, call(name)])) as unknown as ChainStore
}

const VERIFIED = 'x-quorate-verified'

/** Headers of the answers at a head. The answer of another node names no block: that is of another head. */
const answerHeadersOf = (
  { header, hash }: ChainHead,
  verification: Verification,
): Snapshot['answerHeaders'] => {
  const block = { 'x-quorate-block': `${header.number}:${toHex(hash)}` }
  const headers: Readonly<Record<AnswerProof, Readonly<Record<string, string>>>> = {
    values: { ...block, [VERIFIED]: verification },
    head: { ...block, [VERIFIED]: verification === 'state' ? 'head' : verification },
    reader: { ...block, [VERIFIED]: 'none' },
    upstream: { [VERIFIED]: 'none' },
  }
  return proof => headers[proof]
}

/**
 * The context of handlers over a replica whose follower has a head. Each request works on the head that is current when
 * it begins.
 */
export const createReadContext = (options: ReadHostOptions): RpcContext => {
  const { configuration, genesis, kv, follower, verification, forwardCall, healthProblems } = options
  const checked = options.checked ?? ((store: ReadStore): ChainStore => store)
  const prefetchTable: PrefetchTable = new Map()
  /** What all snapshots have in common. */
  let shared: RpcHost | undefined
  let last:
    | { readonly replica: ReplicaSnapshot; readonly views: Views; readonly snapshot: Snapshot }
    | undefined
  const hostOf = (chain: Chain): RpcHost => ({
    ...createReadOnlyHost({
      chain,
      options: options.options,
      reportError: options.reportError,
      warn: options.warn,
    }),
    ...options.parts,
  })
  const snapshot = (): Snapshot => {
    const replica = follower.current()
    if (replica === undefined) throw new Error('the replica has no head yet')
    const isSame = last?.replica === replica
    if (last !== undefined && isSame && options.isPerRequest !== true) return last.snapshot
    const views = last !== undefined && isSame ? last.views : createReadViews(kv, prefetchTable)
    const unchecked = createReadStore(kv, replica, views)
    const store = withSecondRead(checked(unchecked, replica), async () => {
      await kv.forget()
      unchecked.forget()
    })
    const chain = createReadChain(configuration, genesis, store)
    const host = { ...(shared ??= hostOf(chain)), chain }
    const snapshot: Snapshot = {
      chain: withRunsBounded(host).chain,
      gasPrice: createGasPriceOracle(host),
      answerHeaders: answerHeadersOf(replica.head, verification),
    }
    last = { replica, views, snapshot }
    return snapshot
  }
  const { chain } = snapshot()
  const live: Chain = {
    ...chain,
    store: liveStore(() => snapshot().chain.store),
    head: () => snapshot().chain.head(),
    validators: number => snapshot().chain.validators(number),
    validatorsNamedBy: number => snapshot().chain.validatorsNamedBy(number),
    voteTally: () => snapshot().chain.voteTally(),
    onHead: follower.onHead,
  }
  return createRpcContext({ ...hostOf(live), snapshot, forwardCall, healthProblems })
}
