import { isObject, type JsonObject } from '../../../core/json.ts'

/** The parts of an encrypted key file (Web3 Secret Storage, version 3) that decryption needs. */
export type Keystore = {
  /** Lower-case hex without 0x; undefined where the file has none. */
  readonly address: string | undefined
  readonly iv: Uint8Array
  readonly ciphertext: Uint8Array
  readonly mac: Uint8Array
  readonly kdf: KeyDerivation
}

export type KeyDerivation =
  | {
      readonly kind: 'scrypt'
      readonly n: number
      readonly r: number
      readonly p: number
      readonly salt: Uint8Array
    }
  | { readonly kind: 'pbkdf2'; readonly iterations: number; readonly salt: Uint8Array }

/** Memory that scrypt may use, 128 * n * r: twice that of geth's files, the largest that tools write. */
export const SCRYPT_BYTES_MAX = 512 * 1024 * 1024
/** Work of scrypt, n * r * p: twice that of geth's files, some two seconds. A file must not hold up a start. */
const SCRYPT_WORK_MAX = 2 ** 22
/** Geth's light files have 6. */
const SCRYPT_PARALLEL_MAX = 16
/** Eight times the example of the specification, and three times OWASP's advice of 2023: some two seconds. */
const PBKDF2_ITERATIONS_MAX = 2_000_000

/** The text is not an encrypted key in a supported format. The message follows the file name. */
export class KeystoreFormatError extends Error {
  override readonly name = 'KeystoreFormatError'
  readonly code = 'KEYSTORE'
}

const wrong = (text: string): KeystoreFormatError => new KeystoreFormatError(text)

const recordAt = (from: JsonObject, name: string): JsonObject => {
  const value = from[name]
  if (!isObject(value)) throw wrong(`it has no object ${name}`)
  return value
}

const bytesAt = (from: JsonObject, name: string, length?: number): Uint8Array => {
  const value = from[name]
  if (typeof value !== 'string' || !/^(?:0x)?(?:[0-9a-f]{2})+$/i.test(value))
    throw wrong(`its ${name} is not hex`)
  const bytes = new Uint8Array(Buffer.from(value.replace(/^0x/, ''), 'hex'))
  if (length !== undefined && bytes.length !== length)
    throw wrong(`its ${name} has ${bytes.length} bytes, not ${length}`)
  return bytes
}

const integerAt = (from: JsonObject, name: string, max: number): number => {
  const value = from[name]
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > max)
    throw wrong(`its ${name} must be a whole number from 1 to ${max}`)
  return value
}

const scryptOf = (parameters: JsonObject): KeyDerivation => {
  const n = integerAt(parameters, 'n', 2 ** 24)
  const r = integerAt(parameters, 'r', 64)
  if ((n & (n - 1)) !== 0 || n === 1) throw wrong('its n must be a power of two above 1')
  // RFC 7914, section 2; OpenSSL refuses others.
  if (n >= 2 ** (16 * r)) throw wrong('its n must be below 2 to the power of 16 r')
  if (128 * n * r > SCRYPT_BYTES_MAX)
    throw wrong(`its n and r need more than ${SCRYPT_BYTES_MAX / 2 ** 20} MiB of memory`)
  const p = integerAt(parameters, 'p', SCRYPT_PARALLEL_MAX)
  if (n * r * p > SCRYPT_WORK_MAX)
    throw wrong(`its n, r and p multiply to more than ${SCRYPT_WORK_MAX}, twice the work of geth's files`)
  return { kind: 'scrypt', n, r, p, salt: bytesAt(parameters, 'salt') }
}

const pbkdf2Of = (parameters: JsonObject): KeyDerivation => {
  if (parameters.prf !== 'hmac-sha256') throw wrong('its prf must be hmac-sha256')
  return {
    kind: 'pbkdf2',
    iterations: integerAt(parameters, 'c', PBKDF2_ITERATIONS_MAX),
    salt: bytesAt(parameters, 'salt'),
  }
}

const derivationOf = (crypto: JsonObject): KeyDerivation => {
  const parameters = recordAt(crypto, 'kdfparams')
  integerAt(parameters, 'dklen', 32)
  if (parameters.dklen !== 32) throw wrong('its dklen must be 32')
  if (crypto.kdf === 'scrypt') return scryptOf(parameters)
  if (crypto.kdf === 'pbkdf2') return pbkdf2Of(parameters)
  throw wrong('its kdf must be scrypt or pbkdf2')
}

/** Parses an encrypted key file. @throws KeystoreFormatError */
export const parseKeystore = (text: string): Keystore => {
  let file: unknown
  try {
    file = JSON.parse(text)
  } catch {
    throw wrong('it is not JSON')
  }
  if (!isObject(file)) throw wrong('it is not a JSON object')
  if (file.version !== 3) throw wrong('it is not an encrypted key of version 3 (Web3 Secret Storage)')
  // Some wallets write the name with a capital letter.
  const crypto = recordAt(file, isObject(file.Crypto) ? 'Crypto' : 'crypto')
  if (crypto.cipher !== 'aes-128-ctr') throw wrong('its cipher must be aes-128-ctr')
  const address = file.address
  if (address !== undefined && (typeof address !== 'string' || !/^(?:0x)?[0-9a-f]{40}$/i.test(address)))
    throw wrong('its address is not 20 bytes of hex')
  return {
    address: address === undefined ? undefined : address.replace(/^0x/i, '').toLowerCase(),
    iv: bytesAt(recordAt(crypto, 'cipherparams'), 'iv', 16),
    ciphertext: bytesAt(crypto, 'ciphertext', 32),
    mac: bytesAt(crypto, 'mac', 32),
    kdf: derivationOf(crypto),
  }
}
