import { hostname } from 'node:os'
import process from 'node:process'
import { equalOptionalBytes } from '../../core/bytes/bytes.ts'
import type { KeyValueEntry, KeyValueStore } from '../../core/store/keyvalue/keyvalue.ts'

/** Who holds the storage: written when a node opens it, and the condition of each of its writes (fencing). */
export const LEASE_KEY = 'lease'
/** A counter by which others see that the holder is alive; no clock of another machine is read. */
const BEAT_KEY = 'lease:beat'

/** Interval at which the holder counts. */
const LEASE_BEAT_MS = 2_000
/** A holder that has not counted for so long is taken to be dead: five beats, so that a busy one is not. */
export const LEASE_MS = 10_000
const HOLDER_CHECK_MS = 500

/** Entries of one conditional write: a script of Redis must not hold the server up for long. */
const WRITE_ENTRIES_MAX = 20_000

/** What the lease says of its holder. */
type Holder = { readonly host: string; readonly process: number; readonly id: string }

export type LeaseOptions = {
  /** The storage without its secrets, for messages. */
  readonly name: string
  /** Takes the lease over without waiting until it expires. */
  readonly takesOver: boolean
  /** Called once before waiting for the end of a silent holder's lease. */
  readonly onWait: (holder: string) => void
  /** Ends that wait. */
  readonly stop: AbortSignal | undefined
}

/** A storage that this process alone may write to. */
export type LeasedStore = KeyValueStore & {
  /** Resolves when another process has taken the storage over: then each write fails. */
  readonly lost: Promise<StorageLost>
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

const holderOf = (lease: Uint8Array): string => {
  try {
    const { host, process: pid } = JSON.parse(decoder.decode(lease)) as Holder
    return `process ${pid} on ${host}`
  } catch {
    // Written by another version.
    return 'an unknown process'
  }
}

type ConditionalStore = KeyValueStore & { readonly setIf: NonNullable<KeyValueStore['setIf']> }

const beatOf = (count: number): KeyValueEntry => ({ key: BEAT_KEY, value: encoder.encode(String(count)) })

/** Replaces the lease if it still is `before`. */
const take = async (
  kv: ConditionalStore,
  before: Uint8Array | undefined,
  own: Uint8Array,
): Promise<boolean> => {
  const condition = { key: LEASE_KEY, value: before }
  if (await kv.setIf(condition, [{ key: LEASE_KEY, value: own }, beatOf(0)])) return true
  // A client may repeat a write after a lost connection although the first one arrived.
  return equalOptionalBytes(await kv.get(LEASE_KEY), own)
}

/** The result of reads and waits, unless a stop comes first. @throws StorageWaitStopped */
const unlessStopped = async <Result>(
  work: Promise<Result>,
  stop: AbortSignal | undefined,
): Promise<Result> => {
  const { promise, reject } = Promise.withResolvers<never>()
  const onStop = (): void => reject(new StorageWaitStopped())
  if (stop?.aborted === true) onStop()
  stop?.addEventListener('abort', onStop, { once: true })
  try {
    return await Promise.race([work, promise])
  } finally {
    stop?.removeEventListener('abort', onStop)
  }
}

/**
 * Watches a holder for LEASE_MS. Resolves when its lease changed or it was silent.
 * @throws StorageInUse when it counted; StorageWaitStopped
 */
const watchHolder = async (
  kv: ConditionalStore,
  lease: Uint8Array,
  { name, onWait, stop }: LeaseOptions,
): Promise<void> => {
  onWait(holderOf(lease))
  const read = (key: string): Promise<Uint8Array | undefined> => unlessStopped(kv.get(key), stop)
  const beat = await read(BEAT_KEY)
  const endMs = performance.now() + LEASE_MS
  while (performance.now() < endMs) {
    await unlessStopped(new Promise(resolve => setTimeout(resolve, HOLDER_CHECK_MS)), stop)
    if (!equalOptionalBytes(await read(LEASE_KEY), lease)) return
    if (!equalOptionalBytes(await read(BEAT_KEY), beat)) throw new StorageInUse(name, holderOf(lease))
  }
}

/** Becomes the holder. @throws StorageInUse, StorageWaitStopped */
const acquire = async (kv: ConditionalStore, own: Uint8Array, options: LeaseOptions): Promise<void> => {
  for (;;) {
    const found = await unlessStopped(kv.get(LEASE_KEY), options.stop)
    if (found !== undefined && !options.takesOver) {
      await watchHolder(kv, found, options)
      if (!equalOptionalBytes(await kv.get(LEASE_KEY), found)) continue
    }
    if (await take(kv, found, own)) return
  }
}

/** The store for its holder: each write stores nothing once another process is the holder. */
const fenced = (kv: ConditionalStore, own: Uint8Array, name: string): LeasedStore => {
  let resolveLost: (error: StorageLost) => void = () => undefined
  const lost = new Promise<StorageLost>(resolve => {
    resolveLost = resolve
  })
  const write = async (entries: readonly KeyValueEntry[]): Promise<void> => {
    for (let at = 0; at < entries.length; at += WRITE_ENTRIES_MAX) {
      const some =
        at === 0 && entries.length <= WRITE_ENTRIES_MAX ? entries : entries.slice(at, at + WRITE_ENTRIES_MAX)
      if (await kv.setIf({ key: LEASE_KEY, value: own }, some)) continue
      const found = await kv.get(LEASE_KEY)
      const error = new StorageLost(name, found === undefined ? undefined : holderOf(found))
      resolveLost(error)
      throw error
    }
  }
  let count = 0
  const timer = setInterval(() => {
    // A server that does not answer is the store's own failure, which its next write reports.
    write([beatOf(++count)]).catch(() => undefined)
  }, LEASE_BEAT_MS)
  timer.unref()
  return {
    ...kv,
    set: write,
    setIf: undefined,
    setDurably: entry => write([entry]),
    setAllDurably: write,
    lost,
    close: async () => {
      clearInterval(timer)
      try {
        await kv.setIf({ key: LEASE_KEY, value: own }, [
          { key: LEASE_KEY, value: undefined },
          { key: BEAT_KEY, value: undefined },
        ])
      } catch {
        // The server is gone: the lease ends by silence.
      }
      await kv.close()
    },
  }
}

/**
 * Makes this process the only one that writes to a storage which several machines reach. A node that was killed leaves its
 * lease behind, which ends after LEASE_MS without a sign of life. A holder that was taken to be dead wrongly (a stopped
 * machine) is fenced: nothing that it writes afterwards is stored.
 * @throws StorageInUse, StorageWaitStopped
 */
export const leaseStore = async (kv: KeyValueStore, options: LeaseOptions): Promise<LeasedStore> => {
  const { setIf } = kv
  if (setIf === undefined) throw new Error('a lease needs a store with conditional writes')
  const conditional = { ...kv, setIf }
  const holder: Holder = { host: hostname(), process: process.pid, id: crypto.randomUUID() }
  const own = encoder.encode(JSON.stringify(holder))
  await acquire(conditional, own, options)
  return fenced(conditional, own, options.name)
}

/** Another node has the storage. */
export class StorageInUse extends Error {
  override readonly name = 'StorageInUse'
  readonly code = 'STORAGE_IN_USE'
  constructor(storage: string, holder: string) {
    super(
      `the storage ${storage} is in use by another node (${holder}); stop that one, or take the storage from it with takeover=true in --storage`,
    )
  }
}

/** A stop signal came while the node waited for its storage. */
export class StorageWaitStopped extends Error {
  override readonly name = 'StorageWaitStopped'
  readonly code = 'STORAGE_WAIT_STOPPED'
  constructor() {
    super('stopped while waiting for the storage')
  }
}

/** This node is no longer the one that writes to its storage. */
export class StorageLost extends Error {
  override readonly name = 'StorageLost'
  readonly code = 'STORAGE_LOST'
  /** @param holder undefined when the storage has no lease any more */
  constructor(storage: string, holder: string | undefined) {
    super(
      holder === undefined
        ? `the storage ${storage} has lost this node's lease: its data were removed or are older ones`
        : `another node (${holder}) has taken over the storage ${storage}`,
    )
  }
}
