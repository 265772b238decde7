import type { ConditionalWrite } from '../../../core/store/codec/entries.ts'

/** The methods of the Durable Object that the Worker calls (runtime/workers/chainObject.ts). */
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
  get(key: string): Promise<{ readonly size: number; arrayBuffer(): Promise<ArrayBuffer> } | null>
  put(key: string, value: Uint8Array): Promise<unknown>
}

/** A namespace of Workers KV. */
export type ValueNamespace = {
  get(key: string, type: 'arrayBuffer'): Promise<ArrayBuffer | null>
  put(key: string, value: Uint8Array): Promise<void>
}

/** A prepared statement of D1. */
export type DatabaseStatement = { bind(...values: readonly unknown[]): DatabaseStatement }

/** The result of one statement of a batch. */
export type DatabaseResult = {
  readonly results: readonly Readonly<Record<string, unknown>>[]
  readonly meta: { readonly changes: number }
}

/** A D1 database. */
export type Database = {
  prepare(query: string): DatabaseStatement
  /** Runs the statements in one transaction. */
  batch(statements: readonly DatabaseStatement[]): Promise<readonly DatabaseResult[]>
}
