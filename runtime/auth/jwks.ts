import { KeySetError, parseKeySet, verifyWithKeySet } from '../../handlers/auth/keys/keySet.ts'
import type { VerifySignature } from '../../handlers/auth/keys/publicKey.ts'
import { FileReadError, readTextUpTo } from '../cli/readUpTo.ts'
import type { Log } from '../logging/log.ts'
import { limitedBytes } from '../serving/limitedBytes.ts'
import { shownUrl } from '../text/shownUrl.ts'

/** Keys that change while the node runs. */
export type KeySource = {
  readonly verify: VerifySignature
  /** Changes with the keys: what was verified before may be signed by a key that is gone. */
  readonly version: () => number
  readonly stop: () => void
}

/** A hundred keys have some hundred kilobytes. */
export const KEY_SET_BYTES_MAX = 1024 * 1024

/** A server that is slower than this counts as down; the known keys stay. */
const FETCH_TIMEOUT_MS = 5_000

/** Maximum time for which a removed key stays valid. */
const FILE_INTERVAL_MS = 5_000
const URL_INTERVAL_MS = 5 * 60_000

/** Minimum interval between reads caused by tokens of unknown keys: anybody can send those. */
const FILE_COOLDOWN_MS = 1_000
const URL_COOLDOWN_MS = 30_000

export const isUrl = (from: string): boolean => /^https?:\/\//i.test(from)

const fetchFrom = async (url: string): Promise<string> => {
  const response = await fetch(url, {
    headers: { accept: 'application/json' },
    redirect: 'manual',
    signal: AbortSignal.timeout(FETCH_TIMEOUT_MS),
  })
  if (!response.ok) throw new KeySetError(`its server answers with status ${response.status}`)
  const bytes = await limitedBytes(response, KEY_SET_BYTES_MAX)
  if (bytes === undefined) throw new KeySetError(`it is longer than ${KEY_SET_BYTES_MAX} bytes`)
  return new TextDecoder().decode(bytes)
}

const reasonOf = (error: unknown): string => {
  if (error instanceof KeySetError || error instanceof FileReadError) return error.message
  if (error instanceof Error && error.name === 'TimeoutError')
    return `nothing came within ${FETCH_TIMEOUT_MS / 1000} s`
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } }
  const known = code ?? cause?.code
  return typeof known === 'string' ? known : String(error)
}

type State = {
  readonly from: string
  /** `from` as the log shows it. */
  readonly shownFrom: string
  readonly log: Log
  readonly nowMs: () => number
  text: string | undefined
  verify: VerifySignature
  version: number
  readAtMs: number
  /** The last failure, which is logged once. */
  failure: string | undefined
  reading: Promise<void> | undefined
}

const NO_KEYS: VerifySignature = () => Promise.resolve(undefined)

/** Reads the keys again; a failure leaves those that are known. */
const readKeys = async (state: State): Promise<void> => {
  const { from, shownFrom, log } = state
  state.readAtMs = state.nowMs()
  try {
    const text = await (isUrl(from) ? fetchFrom(from) : readTextUpTo(from, KEY_SET_BYTES_MAX))
    state.failure = undefined
    if (text === state.text) return
    const keys = parseKeySet(text)
    state.text = text
    state.verify = verifyWithKeySet(keys)
    state.version++
    log.info('{count} keys for tokens were read from {from}', {
      count: keys.length,
      from: shownFrom,
    })
  } catch (error) {
    const reason = reasonOf(error)
    if (reason !== state.failure)
      log.warn('The keys for tokens in {from} cannot be read: {reason}. {consequence}', {
        from: shownFrom,
        reason,
        consequence:
          state.version === 0 ? 'No token is valid until they can' : 'Those that were read before stay valid',
      })
    state.failure = reason
  }
}

const refresh = (state: State): Promise<void> => {
  state.reading ??= readKeys(state).finally(() => {
    state.reading = undefined
  })
  return state.reading
}

/**
 * Opens a key set in a file, or at a URL, and follows its changes. Resolves once it was read; a URL that does not answer
 * keeps no node from starting.
 */
export const openKeySource = async (from: string, log: Log, nowMs: () => number): Promise<KeySource> => {
  const state: State = {
    from,
    shownFrom: isUrl(from) ? shownUrl(from) : from,
    log,
    nowMs,
    text: undefined,
    verify: NO_KEYS,
    version: 0,
    readAtMs: 0,
    failure: undefined,
    reading: undefined,
  }
  await refresh(state)
  const timer = setInterval(() => void refresh(state), isUrl(from) ? URL_INTERVAL_MS : FILE_INTERVAL_MS)
  timer.unref()
  const cooldownMs = isUrl(from) ? URL_COOLDOWN_MS : FILE_COOLDOWN_MS
  return {
    version: () => state.version,
    stop: () => clearInterval(timer),
    verify: async token => {
      const payload = await state.verify(token)
      if (payload !== undefined || nowMs() - state.readAtMs < cooldownMs) return payload
      // Perhaps the issuer has a new key.
      await refresh(state)
      return state.verify(token)
    },
  }
}
