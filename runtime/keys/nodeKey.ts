import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Address } from '../../core/bytes/bytes.ts'
import { fromHex, toHex } from '../../core/bytes/hex.ts'
import { addressOfPublicKey, publicKeyOf } from '../../core/crypto/crypto.ts'
import { CommandError } from '../cli/errors.ts'
import { writeFileAtomically } from '../files/atomic.ts'
import { readFailureReason, readTextUpTo } from '../cli/readUpTo.ts'
import { writeFailureReason } from '../files/reason.ts'

/** The secp256k1 key of this node: its identity, and the key of a validator's signatures. */
export type NodeKey = {
  /** 32 bytes. */
  readonly privateKey: Uint8Array
  /** 64 bytes. */
  readonly publicKey: Uint8Array
  readonly address: Address
}

/** Maximum length of a key file, which is one line of 66 characters. */
const KEY_FILE_BYTES_MAX = 4096

/** @throws an error of the curve library if the number is zero or not below the order */
export const nodeKeyOf = (privateKey: Uint8Array): NodeKey => {
  const publicKey = publicKeyOf(privateKey)
  return { privateKey, publicKey, address: addressOfPublicKey(publicKey) }
}

const keyError = (path: string, reason: string): CommandError =>
  new CommandError(
    'KEY_FILE',
    `Private key cannot be loaded from file ${path}: ${reason}. It must hold one line: 32 bytes of hex, 0x optional.`,
  )

const parseKey = (path: string, text: string): NodeKey => {
  const lines = text.split(/\r?\n/)
  if (lines.length > 1 && lines.at(-1) === '') lines.pop()
  if (lines.length !== 1) throw keyError(path, 'Supplied file does not contain valid keyPair pair')
  const digits = (lines[0] as string).trim()
  if (!/^(0x)?[0-9a-f]{64}$/i.test(digits)) throw keyError(path, 'its content is not 32 bytes of hex')
  try {
    return nodeKeyOf(fromHex(digits))
  } catch {
    // The library's message is about field elements.
    throw keyError(path, 'the number is not a private key of secp256k1 (zero, or not below the order)')
  }
}

/** Reads a key file in Besu's format; undefined if it does not exist. @throws CommandError */
export const readNodeKey = (path: string): NodeKey | undefined => {
  let text: string
  try {
    text = readTextUpTo(path, KEY_FILE_BYTES_MAX)
  } catch (cause) {
    if ((cause as { code?: string }).code === 'ENOENT') return undefined
    throw keyError(path, readFailureReason(cause))
  }
  return parseKey(path, text)
}

export const createNodeKey = (): NodeKey => {
  for (;;) {
    try {
      return nodeKeyOf(new Uint8Array(randomBytes(32)))
    } catch {
      // One number in 2^128 is not below the order: draws another one.
    }
  }
}

/** Writes a key file in Besu's format: one line of 0x-hex without line end, readable by its owner only. @throws CommandError */
export const writeNodeKey = (path: string, key: NodeKey): void => {
  try {
    writeFileAtomically(path, toHex(key.privateKey), 0o600)
  } catch (cause) {
    throw new CommandError(
      'DATA_PATH',
      `Private key cannot be written to file ${path}: ${writeFailureReason(cause)}`,
      { cause },
    )
  }
}

export const nodeKeyPath = (options: {
  readonly dataPath: string
  readonly nodePrivateKeyFile: string | undefined
}): string => options.nodePrivateKeyFile ?? join(options.dataPath, 'key')
