import type { AwsClient } from 'aws4fetch'
import { type Driver, defineDriver } from 'unstorage'
import { equalBytes } from '../../core/bytes/bytes.ts'
import type { EntryCondition } from '../../core/store/keyvalue/condition.ts'
import { DriverError, type DriverExtensions } from '../../core/store/keyvalue/driverStore.ts'
import type { KeyValueEntry } from '../../core/store/keyvalue/keyvalue.ts'
import { connectionFailureReason } from '../files/reason.ts'
import { beginningOf, limitedBytes } from '../serving/limitedBytes.ts'
import { ANSWER_BYTES_MAX, VALUE_BYTES_MAX } from './guards/answerLimits.ts'
import { inBatches } from './inBatches.ts'
import { loadOptional } from './optionalPackage.ts'
import type { OpenedDriver } from './redis.ts'
import { StorageUnavailable } from './storageUnavailable.ts'

export type S3DriverOptions = {
  /** Of the bucket: `https://bucket.s3.eu-central-1.amazonaws.com`, or `http://127.0.0.1:9000/bucket`. */
  readonly url: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** `us-east-1` by default. */
  readonly region?: string
  /** Precedes the name of every object; empty by default. */
  readonly base?: string
}

/** Requests in progress for one batch. */
const REQUESTS_AT_ONCE = 16
const TIMEOUT_MS = 30_000
const MISSING = 404
/** The condition of a write did not hold; a concurrent write of the same object. */
const REFUSED: readonly number[] = [412, 409]

type Bucket = { readonly client: AwsClient; readonly url: string; readonly base: string }

const send = (
  { client, url, base }: Bucket,
  key: string,
  init: {
    readonly method: string
    readonly headers?: Record<string, string>
    readonly body?: Uint8Array<ArrayBuffer>
  },
): Promise<Response> =>
  client.fetch(`${url}/${encodeURIComponent(base + key)}`, {
    ...init,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })

const failed = async (what: string, key: string, response: Response): Promise<DriverError> => {
  const text = await beginningOf(response)
  return new DriverError('s3', `${what} of ${key} was answered with ${response.status}: ${text}`, undefined)
}

/** An object and its version. */
type Found = { readonly value: Uint8Array; readonly etag: string | null }

/** Bytes that the answers to one read may still have together. */
type Budget = { bytes: number }

/** @throws DriverError for an object without an end, or one of many that are longer than an answer of any other store */
const get = async (
  bucket: Bucket,
  key: string,
  budget: Budget = { bytes: VALUE_BYTES_MAX },
): Promise<Found | undefined> => {
  const response = await send(bucket, key, { method: 'GET' })
  if (response.ok) {
    const value = await limitedBytes(response, Math.min(VALUE_BYTES_MAX, budget.bytes), length => {
      budget.bytes -= length
      return budget.bytes >= 0
    })
    if (value === undefined)
      throw new DriverError(
        's3',
        `${key} is longer than ${VALUE_BYTES_MAX} bytes, or the answers are more than ${ANSWER_BYTES_MAX} together`,
        undefined,
      )
    return { value, etag: response.headers.get('etag') }
  }
  if (response.status !== MISSING) throw await failed('a read', key, response)
  await response.body?.cancel()
  return undefined
}

/** False where the condition in `headers` did not hold. */
const put = async (
  bucket: Bucket,
  { key, value }: KeyValueEntry,
  headers: Record<string, string> = {},
): Promise<boolean> => {
  const response =
    value === undefined
      ? await send(bucket, key, { method: 'DELETE', headers })
      : await send(bucket, key, { method: 'PUT', headers, body: new Uint8Array(value) })
  if (!response.ok && !REFUSED.includes(response.status)) throw await failed('a write', key, response)
  await response.body?.cancel()
  return response.ok
}

const setEntries = async (bucket: Bucket, entries: readonly KeyValueEntry[]): Promise<void> => {
  const written = await inBatches(entries, REQUESTS_AT_ONCE, entry => put(bucket, entry))
  if (written.includes(false)) throw new DriverError('s3', 'a write was refused', undefined)
}

/** Writes the other values first, which no reader uses before the head refers to them; then the head, if it is unchanged. */
const setEntriesIf = async (
  bucket: Bucket,
  condition: EntryCondition,
  entries: readonly KeyValueEntry[],
): Promise<boolean> => {
  const head = entries.find(({ key }) => key === condition.key)
  if (head === undefined) throw new DriverError('s3', 'a conditional write must replace its head', undefined)
  const found = await get(bucket, condition.key)
  if ((found === undefined) !== (condition.value === undefined)) return false
  if (found !== undefined && condition.value !== undefined && !equalBytes(found.value, condition.value))
    return false
  await setEntries(
    bucket,
    entries.filter(entry => entry !== head),
  )
  if (found === undefined) return put(bucket, head, { 'if-none-match': '*' })
  if (found.etag === null)
    throw new DriverError('s3', 'the server gives no ETag, so that no write can be conditional', undefined)
  return put(bucket, head, { 'if-match': found.etag })
}

const driverOf = defineDriver((bucket: Bucket): Driver<Bucket> & DriverExtensions => ({
  name: 's3',
  hasItem: async key => (await get(bucket, key)) !== undefined,
  getItem: async key => {
    const found = await get(bucket, key)
    return found === undefined ? null : new TextDecoder().decode(found.value)
  },
  getItemRaw: async key => (await get(bucket, key))?.value ?? null,
  setItem: async (key, value) => void (await put(bucket, { key, value: new TextEncoder().encode(value) })),
  setItemRaw: async (key, value: Uint8Array) => void (await put(bucket, { key, value })),
  removeItem: async key => void (await put(bucket, { key, value: undefined })),
  getKeys: () => [],
  getEntries: keys => {
    const budget = { bytes: ANSWER_BYTES_MAX }
    return inBatches(keys, REQUESTS_AT_ONCE, async key => (await get(bucket, key, budget))?.value)
  },
  setEntries: entries => setEntries(bucket, entries),
  setEntriesIf: (condition, entries) => setEntriesIf(bucket, condition, entries),
}))

/**
 * Driver over a bucket of S3 or of a server with its API (R2, MinIO, Ceph): one object a value. The head is replaced by a
 * conditional write (If-Match), which the server must support.
 * @throws StorageUnavailable when the client is not installed, or the bucket is not reached
 */
export const openS3Driver = async (options: S3DriverOptions): Promise<OpenedDriver> => {
  const { accessKeyId, secretAccessKey, region = 'us-east-1', base = '' } = options
  const { AwsClient: Client } = await loadOptional('s3', 'aws4fetch', () => import('aws4fetch'))
  const client = new Client({ accessKeyId, secretAccessKey, region, service: 's3', retries: 2 })
  const bucket: Bucket = { client, url: options.url.replace(/\/+$/, ''), base }
  try {
    await get(bucket, 'replica')
  } catch (cause) {
    const reason = connectionFailureReason(cause)
    throw new StorageUnavailable(`the storage s3 cannot be used: ${reason}; check URL and keys`, { cause })
  }
  return { driver: driverOf(bucket), durability: 'synced' }
}
