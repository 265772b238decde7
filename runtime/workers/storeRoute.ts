import { errorText } from '../../core/text/errorText.ts'
import { DecodeError } from '../../core/block/codec/error.ts'
import { equalBytes } from '../../core/bytes/bytes.ts'
import { RlpError } from '../../core/rlp/rlp.ts'
import { checkedValue } from '../../core/store/checksum.ts'
import {
  decodeKeys,
  decodeWrite,
  encodeValues,
  type ConditionalWrite,
} from '../../core/store/codec/entries.ts'
import { MalformedRecord } from '../../core/store/codec/reader.ts'
import type { KeyValueStore } from '../../core/store/keyvalue/keyvalue.ts'
import { REPLICA_KEY } from '../../core/store/keys.ts'
import { decodeReplicaHead, heightOf, type ReplicaHead } from '../../core/store/replica/replicaHead.ts'
import type { ChainHead } from '../../core/store/store.ts'
import { limitedBytes } from '../serving/limitedBytes.ts'
import { reportFailure } from './report.ts'

/** Keys of one read, and entries of one write: 64 blocks of a thousand transfers have about this many. */
const KEYS_MAX = 1_000
const ENTRIES_MAX = 500_000
/**
 * Longest body: a batch has 4 MB of records, and one block may be longer. An isolate of 128 MB has it three times while it reads
 * it, and a call of a Durable Object takes 32 MiB.
 */
const BODY_BYTES_MAX = 32 * 1024 * 1024

const SECRET_LENGTH_MIN = 16

export type StoreRoute = {
  readonly kv: KeyValueStore
  readonly secret: string | undefined
  readonly genesisHash: Uint8Array
  /** Verifies a new head. @throws the reason why it is refused */
  readonly verify: (head: ChainHead, kv: Pick<KeyValueStore, 'get' | 'getMany'>) => Promise<void>
}

const answer = (status: number, text: string): Response => new Response(`${text}\n`, { status })

const encoder = new TextEncoder()

/** Compares two texts in constant time. */
const isSecret = async (given: string | undefined, secret: string): Promise<boolean> => {
  const digest = async (text: string): Promise<Uint8Array> =>
    new Uint8Array(await crypto.subtle.digest('SHA-256', encoder.encode(text)))
  const [first, second] = await Promise.all([digest(given ?? ''), digest(secret)])
  let difference = 0
  for (let i = 0; i < first.length; i++) difference |= (first[i] as number) ^ (second[i] as number)
  return difference === 0
}

/** The store as it will be: the entries of a write over what is stored. */
const overlay = (
  kv: KeyValueStore,
  { entries }: ConditionalWrite,
): Pick<KeyValueStore, 'get' | 'getMany'> => {
  const written = new Map(entries.map(({ key, value }) => [key, value]))
  const get = async (key: string): Promise<Uint8Array | undefined> =>
    written.has(key) ? written.get(key) : kv.get(key)
  return { get, getMany: keys => Promise.all(keys.map(get)) }
}

/** Whether the new head may follow the stored one. @throws StoreCorruption, MalformedRecord */
const refusalOf = (
  before: ReplicaHead | undefined,
  next: ReplicaHead,
  genesisHash: Uint8Array,
): string | undefined => {
  if (!equalBytes(next.genesisHash, genesisHash)) return 'it is of another chain'
  if (before === undefined) return undefined
  if (next.sequence <= before.sequence) return `its sequence ${next.sequence} is not above ${before.sequence}`
  if (heightOf(next) < heightOf(before)) return 'its head is before the stored one'
  const isSame = heightOf(next) === heightOf(before)
  if (
    isSame &&
    next.head !== undefined &&
    before.head !== undefined &&
    !equalBytes(next.head.hash, before.head.hash)
  )
    return 'its head is another block of the same number'
  return undefined
}

const write = async (route: StoreRoute, body: Uint8Array): Promise<Response> => {
  const { kv, genesisHash, verify } = route
  const asked = decodeWrite(body, ENTRIES_MAX)
  // The stores take the last of two values of a key: a second head would not be the one that is verified.
  const [value, another] = asked.entries.flatMap(entry => (entry.key === REPLICA_KEY ? [entry.value] : []))
  if (
    asked.key !== REPLICA_KEY ||
    another !== undefined ||
    value === undefined ||
    checkedValue(REPLICA_KEY, value) === undefined
  )
    return answer(400, 'a write must replace the head of the replica, once')
  const next = decodeReplicaHead(value)
  const stored = await kv.get(REPLICA_KEY)
  const before = stored === undefined ? undefined : decodeReplicaHead(stored)
  const refusal = refusalOf(before, next, genesisHash)
  if (refusal !== undefined) return answer(409, `the write is refused: ${refusal}`)
  if (next.head !== undefined && heightOf(next) !== (before === undefined ? -1 : heightOf(before)))
    try {
      await verify(next.head, overlay(kv, asked))
    } catch (error) {
      return answer(422, `the head is refused: ${errorText(error)}`)
    }
  if (kv.setIf === undefined) return answer(405, 'this store is filled by the node itself')
  const written = await kv.setIf({ key: asked.key, value: asked.value }, asked.entries)
  return written ? new Response(null, { status: 204 }) : answer(409, 'the stored head is another one')
}

const read = async ({ kv }: StoreRoute, body: Uint8Array): Promise<Response> => {
  const keys = decodeKeys(body, KEYS_MAX)
  const values = await (kv.getMany?.(keys) ?? Promise.all(keys.map(key => kv.get(key))))
  return new Response(new Uint8Array(encodeValues(values)), {
    headers: { 'content-type': 'application/octet-stream' },
  })
}

/** Answers `POST /store/read` and `POST /store/write`, which need the secret of the deployment. */
export const answerStore = async (request: Request, what: string, route: StoreRoute): Promise<Response> => {
  if (request.method !== 'POST') return new Response(null, { status: 405, headers: { allow: 'POST' } })
  const { secret } = route
  const given = /^Bearer (.+)$/.exec(request.headers.get('authorization') ?? '')?.[1]
  if (secret === undefined || secret.length < SECRET_LENGTH_MIN)
    return answer(
      503,
      `this deployment takes no blocks: set its secret STORE_SECRET, of ${SECRET_LENGTH_MIN} characters or more`,
    )
  if (!(await isSecret(given, secret)))
    return answer(401, 'the secret is not STORE_SECRET of this deployment')
  const body = await limitedBytes(request, BODY_BYTES_MAX)
  if (body === undefined)
    return answer(
      413,
      `the body has more than ${BODY_BYTES_MAX} bytes: a store in PostgreSQL takes longer blocks`,
    )
  try {
    if (what === 'read') return await read(route, body)
    if (what === 'write') return await write(route, body)
  } catch (error) {
    if (error instanceof MalformedRecord || error instanceof RlpError || error instanceof DecodeError)
      return answer(400, error.message)
    reportFailure(`The ${what} of the store failed`, error)
    return answer(500, errorText(error))
  }
  return answer(404, 'the paths are /store/read and /store/write')
}
