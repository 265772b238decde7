import { createPrivateKey, type KeyObject } from 'node:crypto'
import { importPKCS8, SignJWT } from 'jose'
import type { Algorithm } from '../../../handlers/auth/keys/algorithms.ts'
import { RSA_BITS_MIN } from '../../../handlers/auth/keys/publicKey.ts'
import type { CommandContext } from '../../cli/command.ts'
import { CommandError, UsageError } from '../../cli/errors.ts'
import { readFailureReason, readUpTo } from '../../cli/readUpTo.ts'
import type { MintOptions } from './tokenCommand.ts'

/** A key file has some kilobytes. */
const FILE_BYTES_MAX = 64 * 1024

const ALGORITHM_OF_CURVE: Readonly<Record<string, Algorithm>> = {
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
}

const wrong = (path: string, reason: string): CommandError =>
  new CommandError('INPUT', `The key in ${path} cannot sign tokens: ${reason}`)

const readKey = (path: string): KeyObject => {
  let bytes: Uint8Array
  try {
    bytes = readUpTo(path, FILE_BYTES_MAX)
  } catch (cause) {
    throw wrong(path, readFailureReason(cause))
  }
  try {
    return createPrivateKey(Buffer.from(bytes))
  } catch {
    // The engines word it differently, and may quote the key.
    throw wrong(path, 'it is not an unencrypted private key in PEM format')
  }
}

const algorithmOf = (path: string, { asymmetricKeyType, asymmetricKeyDetails }: KeyObject): Algorithm => {
  if (asymmetricKeyType === 'rsa') {
    const bits = asymmetricKeyDetails?.modulusLength ?? RSA_BITS_MIN
    if (bits < RSA_BITS_MIN) throw wrong(path, `it has ${bits} bits, at least ${RSA_BITS_MIN} are asked for`)
    return 'RS256'
  }
  const algorithm = ALGORITHM_OF_CURVE[asymmetricKeyDetails?.namedCurve ?? '']
  if (algorithm === undefined) throw wrong(path, 'RSA and the curves P-256, P-384 and P-521 are supported')
  return algorithm
}

/** Prints a signed token with an expiry. @throws UsageError, CommandError */
export const mintToken = async ({ options, terminal }: CommandContext<MintOptions>): Promise<number> => {
  const { key: path, permissions, expires, username } = options
  if (path === undefined || permissions === undefined)
    throw new UsageError(
      'INVALID_VALUE',
      'Give the key of the issuer with --key and what the token permits with --permissions',
    )
  const key = readKey(path)
  const alg = algorithmOf(path, key)
  const pem = key.export({ type: 'pkcs8', format: 'pem' }).toString()
  const nowSeconds = Math.floor(Date.now() / 1000)
  const token = await new SignJWT({
    permissions: [...permissions],
    ...(username === undefined ? {} : { username }),
  })
    .setProtectedHeader({ alg, typ: 'JWT' })
    .setIssuedAt(nowSeconds)
    .setExpirationTime(nowSeconds + expires)
    .sign(await importPKCS8(pem, alg))
  terminal.out(token)
  return 0
}
