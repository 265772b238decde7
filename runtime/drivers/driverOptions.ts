import { StorageUnavailable } from './storageUnavailable.ts'
import { shownUrl } from '../text/shownUrl.ts'

/** A storage as an option names it: `name?option=value&option=value`. */
export type StorageName = { readonly name: string; readonly options: Readonly<Record<string, string>> }

/** Splits `name?option=value&option=value`; values are URL-encoded. */
export const parseStorage = (storage: string): StorageName => {
  const mark = storage.indexOf('?')
  if (mark < 0) return { name: storage, options: {} }
  return {
    name: storage.slice(0, mark),
    options: Object.fromEntries(new URLSearchParams(storage.slice(mark + 1))),
  }
}

/**
 * Checks the options of a driver.
 * @throws StorageUnavailable for an unknown option, which would have no effect, and for a required one that is missing
 */
export const requireOptions = (
  { name, options }: StorageName,
  required: readonly string[],
  optional: readonly string[],
): void => {
  const known = [...required, ...optional]
  const unknown = Object.keys(options).filter(option => !known.includes(option))
  if (unknown.length > 0)
    throw new StorageUnavailable(
      `the storage ${name} has no option ${unknown.join(', ')}; its options are ${known.join(', ')}`,
    )
  const missing = required.filter(option => (options[option] ?? '') === '')
  if (missing.length > 0)
    throw new StorageUnavailable(
      `the storage ${name} needs ${missing.join(' and ')}: ${name}?${missing.map(option => `${option}=...`).join('&')}`,
    )
}

/** `redis at 10.0.0.7:6379`: without user, password and keys. */
export const shownName = ({ name, options }: StorageName): string => {
  const { url } = options
  return url === undefined || !URL.canParse(url)
    ? name
    : `${name} at ${shownUrl(url).replace(/^.*:\/\//, '')}`
}
