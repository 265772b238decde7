import { hideUrlSecrets } from '../text/shownUrl.ts'
import { type Driver, defineDriver } from 'unstorage'
import { decodeValues, encodeKeys, encodeWrite } from '../../core/store/codec/entries.ts'
import { DriverError, type DriverExtensions } from '../../core/store/keyvalue/driverStore.ts'
import type { KeyValueEntry } from '../../core/store/keyvalue/keyvalue.ts'
import { connectionFailureReason } from '../files/reason.ts'
import { ANSWER_BYTES_MAX } from './guards/answerLimits.ts'
import { beginningOf, limitedBytes } from '../serving/limitedBytes.ts'
import type { OpenedDriver } from './redis.ts'
import { StorageUnavailable } from './storageUnavailable.ts'

export type HttpDriverOptions = {
  /** Of a deployed Worker (runtime/workers), such as `https://chain.example.workers.dev`. */
  readonly url: string
  /** The secret of the deployment. */
  readonly secret: string
}

/** A silent server is treated as lost after this. */
const TIMEOUT_MS = 30_000

/** Keys of one request; the Worker refuses more. */
const KEYS_AT_ONCE = 1_000

/** Path of the store in a Worker. */
const STORE_PATH = '/store'

const CONFLICT = 409

type Send = (what: string, body: Uint8Array) => Promise<Response>

const createSend = ({ url, secret }: HttpDriverOptions): Send => {
  const base = url.replace(/\/+$/, '')
  return (what, body) =>
    fetch(`${base}${STORE_PATH}/${what}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/octet-stream' },
      body: new Uint8Array(body),
      // The secret is for this address only.
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
}

const failed = async (what: string, response: Response): Promise<DriverError> =>
  new DriverError(
    'http',
    `${what} was answered with ${response.status}: ${await beginningOf(response)}`,
    undefined,
  )

/** The values of an answer, one for each key. @throws DriverError, MalformedRecord */
const valuesOf = async (
  response: Response,
  keys: readonly string[],
): Promise<readonly (Uint8Array | undefined)[]> => {
  const bytes = await limitedBytes(response, ANSWER_BYTES_MAX)
  if (bytes === undefined)
    throw new DriverError('http', `a read was answered with more than ${ANSWER_BYTES_MAX} bytes`, undefined)
  const values = decodeValues(bytes, keys.length)
  if (values.length !== keys.length)
    throw new DriverError(
      'http',
      `a read of ${keys.length} keys was answered with ${values.length} values`,
      undefined,
    )
  return values
}

const getEntries = async (send: Send, keys: readonly string[]): Promise<(Uint8Array | undefined)[]> => {
  const values: (Uint8Array | undefined)[] = []
  for (let at = 0; at < keys.length; at += KEYS_AT_ONCE) {
    const some = keys.slice(at, at + KEYS_AT_ONCE)
    const response = await send('read', encodeKeys(some))
    if (!response.ok) throw await failed('a read', response)
    values.push(...(await valuesOf(response, some)))
  }
  return values
}

const refuseWrite = (): never => {
  throw new DriverError('http', 'it takes conditional writes only', undefined)
}

const driverOf = defineDriver((send: Send): Driver<Send> & DriverExtensions => ({
  name: 'http',
  hasItem: async key => (await getEntries(send, [key]))[0] !== undefined,
  getItem: async key => {
    const [value] = await getEntries(send, [key])
    return value === undefined ? null : new TextDecoder().decode(value)
  },
  getItemRaw: async key => (await getEntries(send, [key]))[0] ?? null,
  setItem: refuseWrite,
  setItemRaw: refuseWrite,
  getKeys: () => [],
  getEntries: keys => getEntries(send, keys),
  setEntries: refuseWrite,
  setEntriesIf: async ({ key, value }, entries: readonly KeyValueEntry[]) => {
    const response = await send('write', encodeWrite({ key, value, entries }))
    if (response.ok) return true
    if (response.status === CONFLICT) return false
    throw await failed('a write', response)
  },
}))

/**
 * Driver over the store of a Worker, by HTTP.
 * @throws StorageUnavailable when the address is invalid, or the Worker rejects the secret
 */
export const openHttpDriver = async (options: HttpDriverOptions): Promise<OpenedDriver> => {
  if (!URL.canParse(options.url) || !/^https?:/.test(options.url))
    throw new StorageUnavailable(
      `the storage http needs an http or https URL, not ${hideUrlSecrets(options.url)}`,
    )
  const driver = driverOf(createSend(options))
  try {
    await driver.hasItem('replica', {})
  } catch (cause) {
    const reason = connectionFailureReason(cause)
    throw new StorageUnavailable(`the storage http cannot be used: ${reason}; check URL and secret`, {
      cause,
    })
  }
  return { driver, durability: 'synced' }
}
