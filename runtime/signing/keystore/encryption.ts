import {
  createCipheriv,
  createDecipheriv,
  pbkdf2,
  randomBytes,
  randomUUID,
  scrypt,
  timingSafeEqual,
} from 'node:crypto'
import { promisify } from 'node:util'
import { concatBytes } from '../../../core/bytes/bytes.ts'
import { toBareHex } from '../../../core/bytes/hex.ts'
import { keccak256 } from '../../../core/crypto/crypto.ts'
import { type NodeKey, nodeKeyOf } from '../../keys/nodeKey.ts'
import { type KeyDerivation, type Keystore, KeystoreFormatError, SCRYPT_BYTES_MAX } from './keystoreFile.ts'

const CIPHER = 'aes-128-ctr'
const DERIVED_BYTES = 32
/** As geth writes it: 256 MiB, about a second. */
const SCRYPT = { n: 262_144, r: 8, p: 1 }

type ScryptOptions = {
  readonly N: number
  readonly r: number
  readonly p: number
  readonly maxmem: number
}
// Both run on a thread of the runtime, and block no event loop.
const scryptAsync = promisify<string, Uint8Array, number, ScryptOptions, Buffer>(scrypt)
const pbkdf2Async = promisify(pbkdf2)

/** The password does not decrypt the key. */
export class WrongPasswordError extends Error {
  override readonly name = 'WrongPasswordError'
  readonly code = 'WRONG_PASSWORD'
}

const derive = async (kdf: KeyDerivation, password: string): Promise<Uint8Array> => {
  if (kdf.kind === 'pbkdf2')
    return await pbkdf2Async(password, kdf.salt, kdf.iterations, DERIVED_BYTES, 'sha256')
  const { n, r, p, salt } = kdf
  return await scryptAsync(password, salt, DERIVED_BYTES, { N: n, r, p, maxmem: SCRYPT_BYTES_MAX + 2 ** 20 })
}

const macOf = (derived: Uint8Array, ciphertext: Uint8Array): Uint8Array =>
  keccak256(concatBytes(derived.subarray(16, 32), ciphertext))

/** Decrypts the key of a file. @throws WrongPasswordError, KeystoreFormatError */
export const decryptKeystore = async (keystore: Keystore, password: string): Promise<NodeKey> => {
  const { kdf, ciphertext, iv, mac, address } = keystore
  const derived = await derive(kdf, password)
  if (!timingSafeEqual(macOf(derived, ciphertext), mac)) throw new WrongPasswordError('the password is wrong')
  const decipher = createDecipheriv(CIPHER, derived.subarray(0, 16), iv)
  const privateKey = new Uint8Array(Buffer.concat([decipher.update(ciphertext), decipher.final()]))
  let key: NodeKey
  try {
    key = nodeKeyOf(privateKey)
  } catch {
    throw new KeystoreFormatError('the number in it is not a private key of secp256k1')
  }
  if (address !== undefined && toBareHex(key.address) !== address)
    throw new KeystoreFormatError(`it names the address 0x${address}, but its key has another one`)
  return key
}

/** The text of an encrypted key file, version 3. `scrypt` has the parameters of geth. */
export const encryptKeystore = async (
  { privateKey, address }: NodeKey,
  password: string,
  { n, r, p } = SCRYPT,
): Promise<string> => {
  const salt = new Uint8Array(randomBytes(32))
  const iv = new Uint8Array(randomBytes(16))
  const derived = await derive({ kind: 'scrypt', n, r, p, salt }, password)
  const cipher = createCipheriv(CIPHER, derived.subarray(0, 16), iv)
  const ciphertext = new Uint8Array(Buffer.concat([cipher.update(privateKey), cipher.final()]))
  const crypto = {
    cipher: CIPHER,
    cipherparams: { iv: toBareHex(iv) },
    ciphertext: toBareHex(ciphertext),
    kdf: 'scrypt',
    kdfparams: { dklen: DERIVED_BYTES, n, r, p, salt: toBareHex(salt) },
    mac: toBareHex(macOf(derived, ciphertext)),
  }
  return JSON.stringify({ version: 3, id: randomUUID(), address: toBareHex(address), crypto }, undefined, 2)
}
