import { keyValueOfDriver } from '../../core/store/keyvalue/driverStore.ts'
import type { KeyValueStore } from '../../core/store/keyvalue/keyvalue.ts'
import { exclusiveTurn } from '../scheduler.ts'
import { parseStorage, requireOptions, shownName } from './driverOptions.ts'
import type { OpenedDriver } from './redis.ts'
import { StorageUnavailable } from './storageUnavailable.ts'

/**
 * What a shared store can promise its readers.
 * - `transactional`: a write of many values is durable as a whole, and depends on the head (PostgreSQL, a Durable Object,
 *   D1).
 * - `ordered`: the same, but a crash of the server may take the last writes back (Redis).
 * - `immutable`: values that never change, and a head that is replaced conditionally (S3): blocks, but no state. Workers KV
 *   and R2 have the values only, and their head stands in a Durable Object or D1: a Worker has both.
 */
export type Consistency = 'transactional' | 'ordered' | 'immutable'

type SharedKind = {
  readonly consistency: Consistency
  readonly required: readonly string[]
  readonly optional: readonly string[]
  readonly open: (options: Readonly<Record<string, string>>) => Promise<OpenedDriver>
}

const given = (options: Readonly<Record<string, string>>, name: string): string => options[name] ?? ''

const optional = <Name extends string>(
  options: Readonly<Record<string, string>>,
  name: Name,
): { readonly [Key in Name]?: string } => {
  const value = options[name]
  return (value === undefined ? {} : { [name]: value }) as { readonly [Key in Name]?: string }
}

// Each driver is loaded when a storage of its kind is opened: most nodes use none of them.

const KINDS: Readonly<Record<string, SharedKind>> = {
  redis: {
    consistency: 'ordered',
    required: ['url'],
    optional: ['base'],
    open: async options => {
      const { openRedisDriver } = await import('./redis.ts')
      return openRedisDriver({ url: given(options, 'url'), ...optional(options, 'base') })
    },
  },
  postgresql: {
    consistency: 'transactional',
    required: ['url'],
    optional: ['table'],
    open: async options => {
      const { openPostgresqlDriver } = await import('./postgresql.ts')
      return openPostgresqlDriver({ url: given(options, 'url'), ...optional(options, 'table') })
    },
  },
  http: {
    consistency: 'transactional',
    required: ['url', 'secret'],
    optional: [],
    open: async options => {
      const { openHttpDriver } = await import('./http.ts')
      return openHttpDriver({ url: given(options, 'url'), secret: given(options, 'secret') })
    },
  },
  s3: {
    consistency: 'immutable',
    required: ['url', 'accessKeyId', 'secretAccessKey'],
    optional: ['region', 'base'],
    open: async options => {
      const { openS3Driver } = await import('./s3.ts')
      return openS3Driver({
        url: given(options, 'url'),
        accessKeyId: given(options, 'accessKeyId'),
        secretAccessKey: given(options, 'secretAccessKey'),
        ...optional(options, 'region'),
        ...optional(options, 'base'),
      })
    },
  },
}

const WORKER_ALONE =
  'it is bound to a Worker, which has its head in a Durable Object or D1: give http?url=https://WORKER&secret=...'

/** Stores that cannot be used from a node, whatever the options, by how their names begin. */
const REFUSED: readonly (readonly [prefix: string, reason: string])[] = [
  [
    'cloudflare-kv',
    `Workers KV shows a value up to a minute after it was written and has no conditional writes, so that it has values that never change only, and no head; ${WORKER_ALONE}`,
  ],
  [
    'cloudflare-r2',
    `the binding of R2 is not here; give s3?url=... (R2 has its API), or a Worker: ${WORKER_ALONE}`,
  ],
  ['d1', WORKER_ALONE],
  ['cloudflare-d1', WORKER_ALONE],
  ['sqlite', 'one process alone has it open'],
  ['memory', 'it ends with its process'],
  ['fs', 'it has no conditional writes: two writers would mix'],
]

const refusalOf = (name: string): string =>
  REFUSED.find(([prefix]) => name.startsWith(prefix))?.[1] ?? 'it has no conditional writes'

/** A store that one process fills and others read. */
export type SharedStore = {
  /** Without its secrets, for the log. */
  readonly name: string
  readonly consistency: Consistency
  /** Connects to it. @throws StorageUnavailable */
  readonly open: () => Promise<KeyValueStore>
}

/**
 * The target of `--replicate-to` and `--from`, as in `postgresql?url=postgres://user@host/database`.
 * @throws StorageUnavailable for a storage that cannot be shared, and for options that are missing or unknown
 */
export const sharedStoreOf = (storage: string): SharedStore => {
  const parsed = parseStorage(storage)
  const kind = KINDS[parsed.name]
  if (kind === undefined)
    throw new StorageUnavailable(
      `${parsed.name} cannot be shared: ${refusalOf(parsed.name)}. Use ${Object.keys(KINDS).join(', ')}`,
    )
  requireOptions(parsed, kind.required, kind.optional)
  return {
    name: shownName(parsed),
    consistency: kind.consistency,
    open: async () => {
      const { driver, durability } = await kind.open(parsed.options)
      return keyValueOfDriver(driver, durability, exclusiveTurn)
    },
  }
}
