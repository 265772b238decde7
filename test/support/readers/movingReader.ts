import { fromHex } from '../../../core/bytes/hex.ts'
import { developmentGenesis } from '../../../core/genesis/development/development.ts'
import { parseGenesis } from '../../../core/genesis/parse/parse.ts'
import { REPLICA_KEY } from '../../../core/store/keys.ts'
import type { KeyValueStore } from '../../../core/store/keyvalue/keyvalue.ts'
import { withImmutableCache } from '../../../core/store/replica/immutableCache.ts'
import { NO_TROUBLES } from '../../../handlers/http/health.ts'
import type { ForwardCall, RpcContext } from '../../../handlers/rpc/context.ts'
import { withNamedFailures } from '../../../runtime/read/faults.ts'
import { withHeadGuard } from '../../../runtime/read/guardedStore.ts'
import { createHeadFollower } from '../../../runtime/read/headFollower.ts'
import { createReadContext, type Verification } from '../../../runtime/read/readHost.ts'
import { refuseCalls } from '../../../runtime/read/upstream.ts'
import type { SampleChain } from '../chains/sampleChain.ts'
import { openWriterOf, segmentsOf, sharedMemory } from '../stores/replica.ts'

/** A reader in this process whose head moves when a test says so, also while it answers. */
export type MovingReader = {
  readonly context: RpcContext
  /** Adds blocks to the store in one write, and has the reader read the new head. */
  readonly grow: (blocks: number) => Promise<void>
  /** Has the next reads of the store add a block each, so many times. */
  readonly growAtReads: (times: number) => void
  readonly headNumber: () => number
  /** Lets reads of values fail, but not of the head, or no more. */
  readonly setFailing: (isFailing: boolean) => void
  /** Damages what is read next, but not the head, so many times; -1 for ever. */
  readonly damageReads: (times: number) => void
  /** Removes all that is stored, then stores the blocks up to this one again; -1 for none. */
  readonly refillTo: (number: number) => Promise<void>
}

export type MovingReaderOptions = {
  /** As a Worker does, whose requests share no read. */
  readonly isPerRequest: boolean
  readonly forwardCall?: ForwardCall
  /** Of the labels; nothing is verified. `none` by default. */
  readonly verification?: Verification
  readonly apis?: readonly string[]
  /** Throws by default. */
  readonly reportError?: RpcContext['reportError']
}

const failTest: RpcContext['reportError'] = (method, error) => {
  throw new Error(`${method} failed`, { cause: error })
}

/** Opens a reader of a chain up to block `first`. */
export const openMovingReader = async (
  chain: SampleChain,
  first: number,
  {
    isPerRequest,
    forwardCall = refuseCalls('no upstream node'),
    reportError = failTest,
    verification = 'none',
    apis = ['ETH'],
  }: MovingReaderOptions,
): Promise<MovingReader> => {
  const items = new Map<string, Uint8Array>()
  const shared = sharedMemory(items)
  let writer = await openWriterOf(shared, chain)
  await writer.write(segmentsOf(chain, 0, first))
  const [genesisCommit] = chain.commits
  if (genesisCommit === undefined) throw new Error('the chain has no block')
  const { block, hash, totalDifficulty } = genesisCommit
  const genesis = { header: block.header, hash, totalDifficulty }
  const follower = createHeadFollower({
    kv: shared,
    genesis,
    verify: () => Promise.resolve(),
    ttlMs: 0,
    sharesReads: false,
    nowMs: () => performance.now(),
  })
  let last = first
  const grow = async (blocks: number): Promise<void> => {
    await writer.write(segmentsOf(chain, last + 1, last + blocks))
    last += blocks
    await follower.refresh()
  }
  await follower.refresh()

  let left = 0
  let growing = Promise.resolve()
  let isFailing = false
  let damages = 0
  const damaged = (key: string, value: Uint8Array | undefined): Uint8Array | undefined => {
    if (damages === 0 || value === undefined || key === REPLICA_KEY) return value
    damages--
    return value.map((byte, at) => (at === value.length >> 1 ? byte ^ 0xff : byte))
  }
  const beforeRead = async (keys: readonly string[]): Promise<void> => {
    if (isFailing) throw new Error('the store is gone')
    if (left === 0 || keys.every(key => key === REPLICA_KEY)) return
    left--
    growing = growing.then(() => grow(1))
    await growing
  }
  const kv: KeyValueStore = {
    ...shared,
    get: async key => {
      await beforeRead([key])
      return damaged(key, await shared.get(key))
    },
    getMany: async keys => {
      await beforeRead(keys)
      const values = (await shared.getMany?.(keys)) ?? []
      return values.map((value, index) => damaged(keys[index] as string, value))
    },
  }
  const validator = fromHex(`0x${'11'.repeat(20)}`)
  const context = createReadContext({
    configuration: parseGenesis(developmentGenesis({ validator })).configuration,
    genesis,
    kv: withImmutableCache(withHeadGuard(withNamedFailures(kv), follower.current), { bytesMax: 1_000_000 }),
    follower,
    verification,
    isPerRequest,
    options: { apis, minGasPrice: 0n },
    forwardCall,
    healthProblems: () => NO_TROUBLES,
    reportError,
    warn: () => undefined,
  })
  return {
    context,
    grow,
    growAtReads: times => {
      left = times
    },
    headNumber: () => Number(follower.current()?.head.header.number),
    setFailing: failing => {
      isFailing = failing
    },
    damageReads: times => {
      damages = times
    },
    refillTo: async number => {
      items.clear()
      if (number < 0) return
      writer = await openWriterOf(shared, chain)
      await writer.write(segmentsOf(chain, 0, number))
    },
  }
}
