import type { ChainNamespace, Database, ValueBucket, ValueNamespace } from '../drivers/cloudflare/bindings.ts'

/** Bindings, variables and secrets of a deployment: see wrangler.toml. */
export type WorkerEnvironment = {
  readonly CHAIN?: ChainNamespace
  readonly DATABASE?: Database
  readonly VALUES?: ValueBucket
  readonly VALUES_KV?: ValueNamespace
  readonly HYPERDRIVE?: { readonly connectionString: string }
  /** The network's genesis file; where it is empty, the object `genesis.json` of VALUES or VALUES_KV. */
  readonly GENESIS?: string
  /** SHA-256 of the genesis file, in hex: without it, one from VALUES or VALUES_KV proves nothing. */
  readonly GENESIS_SHA256?: string
  readonly VERIFY?: string
  readonly TRUSTED_BLOCK?: string
  readonly MAX_HEAD_AGE?: string
  readonly UPSTREAM?: string
  readonly APIS?: string
  readonly GAS_CAP?: string
  readonly MIN_GAS_PRICE?: string
  readonly CORS_ORIGINS?: string
  readonly TIMEOUT_MS?: string
  /** PEM of the key that signs tokens; without it everybody may read. */
  readonly JWT_PUBLIC_KEY?: string
  readonly JWT_ALGORITHM?: string
  /** Authenticates the node that fills the store. */
  readonly STORE_SECRET?: string
}

/** Work that outlives the request. */
export type ExecutionContext = { waitUntil(work: Promise<unknown>): void }
