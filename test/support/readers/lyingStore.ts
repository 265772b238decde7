import { Redis } from 'ioredis'
import type { Genesis } from '../../../core/genesis/genesis.ts'
import { checkedValue, withChecksum } from '../../../core/store/checksum.ts'
import type { KeyValueStore } from '../../../core/store/keyvalue/keyvalue.ts'
import { createRpcApp, HTTP_DEFAULTS } from '../../../handlers/http/app.ts'
import { RPC_DEFAULTS } from '../../../handlers/rpc/context.ts'
import { logOf } from '../../../runtime/logging/log.ts'
import { openReader } from '../../../runtime/read/openReader.ts'
import type { TrustedBlockOption } from '../../../runtime/read/options.ts'
import type { Verification } from '../../../runtime/read/readHost.ts'
import { sharedMemory } from '../stores/replica.ts'
import type { Request as RpcRequest } from './readerRequests.ts'

/** Copies of a shared store whose values are forged, and a reader of such a store in this process. */

export type Entries = ReadonlyMap<string, Uint8Array>

/** All entries of a store in Redis. */
export const entriesOf = async (url: string): Promise<Entries> => {
  const client = new Redis(url)
  try {
    const keys = (await client.keys('*')).toSorted()
    const values = await client.mgetBuffer(keys)
    return new Map(keys.map((key, index) => [key, new Uint8Array(values[index] as Buffer)]))
  } finally {
    client.disconnect()
  }
}

/** `segment`, `a`, `s` and so on: what a key is about. */
export const kindOf = (key: string): string => key.split(':')[0] as string

/** Forges a value. `other` is the value of another key of the same kind. */
export type Lie = (value: Uint8Array, other: Uint8Array) => Uint8Array

export const LIES: Readonly<Record<string, Lie>> = {
  truncated: value => value.subarray(0, value.length >> 1),
  empty: () => new Uint8Array(0),
  swapped: (_, other) => other,
  'with a flipped bit': value => value.map((byte, at) => (at === value.length >> 1 ? byte ^ 1 : byte)),
  'with a flipped last bit': value => value.map((byte, at) => (at === value.length - 1 ? byte ^ 1 : byte)),
}

/** A copy of the store in which all values of a kind are forged, with right checksums. */
export const forgedStore = (entries: Entries, kind: string, lie: Lie): KeyValueStore => {
  const keys = [...entries.keys()].filter(key => kindOf(key) === kind)
  const plain = (key: string): Uint8Array =>
    checkedValue(key, entries.get(key)) ?? (entries.get(key) as Uint8Array)
  const forged = keys.map((key, index): [string, Uint8Array] => [
    key,
    withChecksum(key, lie(plain(key), plain(keys[(index + 1) % keys.length] as string))),
  ])
  return sharedMemory(new Map([...entries, ...forged]))
}

export type ReaderHere = {
  /** The body of the answer to a request. */
  readonly ask: (request: RpcRequest) => Promise<string>
  /** The answer to a GET request. */
  readonly get: (path: string) => Promise<Response>
}

export type ReaderHereOptions = {
  readonly kv: KeyValueStore
  readonly genesis: Genesis
  readonly apis: readonly string[]
  /** `state` by default. */
  readonly verification?: Verification
  readonly trustedBlock?: TrustedBlockOption
  readonly maxHeadAge?: number
}

/** Opens a reader in this process whose head stays the one that it found. */
export const openReaderHere = async ({
  kv,
  genesis,
  apis,
  verification = 'state',
  trustedBlock,
  maxHeadAge = 0,
}: ReaderHereOptions): Promise<ReaderHere> => {
  const reader = await openReader(
    {
      genesis,
      kv,
      verification,
      trustedBlock,
      maxHeadAge,
      upstream: undefined,
      rpc: {
        ...RPC_DEFAULTS,
        apis,
        clientVersion: 'test',
        networkId: genesis.configuration.chainId,
        minGasPrice: 0n,
      },
      log: logOf('read'),
    },
    () => false,
  )
  if (reader === undefined) throw new Error('the reader was stopped')
  reader.stop()
  const app = createRpcApp(reader.context, HTTP_DEFAULTS)
  const headers = { host: 'localhost', 'content-type': 'application/json' }
  return {
    ask: async ([method, ...params]) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const request = new Request('http://localhost/', { method: 'POST', body, headers })
      return await (await app.fetch(request, () => 'test')).text()
    },
    get: async path => app.fetch(new Request(`http://localhost${path}`, { headers }), () => 'test'),
  }
}
