import { isObject } from '../../core/json.ts'
import { join } from 'node:path'
import { equalBytes, type Hash } from '../../core/bytes/bytes.ts'
import { fromHex, toHex } from '../../core/bytes/hex.ts'
import { addressOfPublicKey } from '../../core/crypto/crypto.ts'
import {
  STATEMENT_VERSION,
  statementDigest,
  statementPreimage,
  statementSigner,
  type ValidatorStatement,
} from '../../p2p/validatorStatement.ts'
import { CommandError } from '../cli/errors.ts'
import { readTextUpTo } from '../cli/readUpTo.ts'
import { writeFileAtomically } from '../files/atomic.ts'
import { writeFailureReason } from '../files/reason.ts'
import { createNodeKey, type NodeKey, readNodeKey, writeNodeKey } from '../keys/nodeKey.ts'
import type { ValidatorSigner } from './signer.ts'

const statementPath = (dataPath: string): string => join(dataPath, 'validator-statement.json')

/** The key of this node's connections, where the validator's key is elsewhere; created if missing. @throws CommandError */
export const openConnectionKey = (dataPath: string): NodeKey => {
  const path = join(dataPath, 'connection-key')
  const stored = readNodeKey(path)
  if (stored !== undefined) return stored
  const key = createNodeKey()
  writeNodeKey(path, key)
  return key
}

/** Content of the statement file. */
type StatementFile = {
  readonly genesisHash: Hash
  readonly connectionKey: Uint8Array
  readonly validatorKey: Uint8Array
  readonly statement: ValidatorStatement
}

const bytesOf = (value: unknown, length: number): Uint8Array | undefined =>
  typeof value === 'string' && new RegExp(`^0x[0-9a-f]{${2 * length}}$`).test(value)
    ? fromHex(value)
    : undefined

/** A statement has some hundred bytes. */
const STATEMENT_FILE_BYTES_MAX = 64 * 1024

/** Undefined for a file that is missing, damaged or of another version: the statement is then signed again. */
const readStatementFile = (dataPath: string): StatementFile | undefined => {
  let file: unknown
  try {
    file = JSON.parse(readTextUpTo(statementPath(dataPath), STATEMENT_FILE_BYTES_MAX))
  } catch {
    return undefined
  }
  if (!isObject(file) || file.version !== STATEMENT_VERSION || typeof file.madeAtMs !== 'number')
    return undefined
  const genesisHash = bytesOf(file.genesisHash, 32)
  const connectionKey = bytesOf(file.connectionKey, 64)
  const validatorKey = bytesOf(file.validatorKey, 64)
  const signature = bytesOf(file.signature, 65)
  if (!genesisHash || !connectionKey || !validatorKey || !signature) return undefined
  return { genesisHash, connectionKey, validatorKey, statement: { madeAtMs: file.madeAtMs, signature } }
}

const isSignedByValidator = ({
  genesisHash,
  connectionKey,
  validatorKey,
  statement,
}: StatementFile): boolean => {
  const signer = statementSigner(statement, genesisHash, connectionKey)
  return signer !== undefined && equalBytes(signer, addressOfPublicKey(validatorKey))
}

/** The validator's public key of the last start: it can start while its signer is away. Undefined at the first start. */
export const storedValidatorKey = (dataPath: string): Uint8Array | undefined => {
  const stored = readStatementFile(dataPath)
  return stored !== undefined && isSignedByValidator(stored) ? stored.validatorKey : undefined
}

/** @throws CommandError */
const writeStatementFile = (dataPath: string, content: string): void => {
  const path = statementPath(dataPath)
  try {
    writeFileAtomically(path, content)
  } catch (cause) {
    throw new CommandError(
      'DATA_PATH',
      `The statement of the validator cannot be written to file ${path}: ${writeFailureReason(cause)}. Make room in the data path, or give a folder that this node may write to with --data-path.`,
      { cause },
    )
  }
}

/** The statement that binds the connection key to the validator: the kept one, or a new one. @throws SignerError, CommandError */
export const bindConnectionKey = async (
  dataPath: string,
  signer: ValidatorSigner,
  connectionKey: Uint8Array,
  genesisHash: Hash,
): Promise<ValidatorStatement> => {
  const stored = readStatementFile(dataPath)
  if (
    stored !== undefined &&
    isSignedByValidator(stored) &&
    equalBytes(stored.genesisHash, genesisHash) &&
    equalBytes(stored.connectionKey, connectionKey) &&
    equalBytes(stored.validatorKey, signer.publicKey)
  )
    return stored.statement
  const subject = { genesisHash, connectionKey, madeAtMs: Date.now() }
  const signature = await signer.sign(statementDigest(subject), () => statementPreimage(subject))
  const file = {
    version: STATEMENT_VERSION,
    genesisHash: toHex(genesisHash),
    connectionKey: toHex(connectionKey),
    validatorKey: toHex(signer.publicKey),
    madeAtMs: subject.madeAtMs,
    signature: toHex(signature),
  }
  writeStatementFile(dataPath, JSON.stringify(file, undefined, 2))
  return { madeAtMs: subject.madeAtMs, signature }
}
