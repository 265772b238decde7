import type { ConditionalWrite } from '../../core/store/codec/entries.ts'

/** What the Worker calls of its Durable Object (chainObject.ts). */
export type ChainObjectStub = {
  read(keys: readonly string[]): Promise<readonly (Uint8Array | null)[]>
  write(write: ConditionalWrite): Promise<boolean>
}

/** A Durable Object namespace with one object for the chain. */
export type ChainNamespace = {
  idFromName(name: string): unknown
  get(id: unknown): ChainObjectStub
}

/** An R2 bucket. */
export type ValueBucket = {
  get(key: string): Promise<{ arrayBuffer(): Promise<ArrayBuffer>; text(): Promise<string> } | null>
  put(key: string, value: Uint8Array): Promise<unknown>
}

/** Bindings, variables and secrets of a deployment: see wrangler.toml. */
export type Environment = {
  readonly CHAIN?: ChainNamespace
  readonly VALUES?: ValueBucket
  readonly HYPERDRIVE?: { readonly connectionString: string }
  /** The network's genesis file; where it is empty, the object `genesis.json` of the bucket. */
  readonly GENESIS?: string
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
  /** Lets the node that fills the store in. */
  readonly STORE_SECRET?: string
}

/** What a request leaves behind. */
export type ExecutionContext = { waitUntil(work: Promise<unknown>): void }
