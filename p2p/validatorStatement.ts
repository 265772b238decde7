import type { Address, Hash } from '../core/bytes/bytes.ts'
import { type Seal, sealSigner } from '../core/block/codec/seal.ts'
import { keccak256 } from '../core/crypto/crypto.ts'
import { encodeRlp, RlpError, type RlpItem, rlpBytes, rlpList, rlpScalar } from '../core/rlp/rlp.ts'

/**
 * Binds the connection key of a node to the key of its validator, which signs it. A node whose validator key is not its
 * connection key sends it with its status; others then address the validator's consensus messages to this connection.
 */
export type ValidatorStatement = {
  /** Milliseconds since 1970 when it was made: the later of two statements of a validator counts. */
  readonly madeAtMs: number
  /** By the key of the validator, over `statementDigest`. */
  readonly signature: Seal
}

/** The form of the statement. Statements of other versions are ignored, as if there were none. */
export const STATEMENT_VERSION = 1

const SUBJECT = new TextEncoder().encode('Quorate connection key of a validator')

type Subject = {
  readonly genesisHash: Hash
  /** 64 bytes. */
  readonly connectionKey: Uint8Array
  readonly madeAtMs: number
}

/**
 * RLP `[subject, version, genesis hash, connection key, time]`: the bytes that the signature covers. No message of QBFT
 * starts with a text.
 */
export const statementPreimage = ({ genesisHash, connectionKey, madeAtMs }: Subject): Uint8Array =>
  encodeRlp([SUBJECT, STATEMENT_VERSION, genesisHash, connectionKey, madeAtMs])

export const statementDigest = (subject: Subject): Hash => keccak256(statementPreimage(subject))

/**
 * The address of the validator that signed the statement for this chain and connection key; undefined if none can be
 * recovered.
 */
export const statementSigner = (
  { madeAtMs, signature }: ValidatorStatement,
  genesisHash: Hash,
  connectionKey: Uint8Array,
): Address | undefined => sealSigner(statementDigest({ genesisHash, connectionKey, madeAtMs }), signature)

export const encodeStatement = ({ madeAtMs, signature }: ValidatorStatement) => [
  STATEMENT_VERSION,
  madeAtMs,
  signature,
]

/** Undefined for none, and for a later version. @throws RlpError */
export const decodeStatement = (item: RlpItem | undefined): ValidatorStatement | undefined => {
  if (item === undefined) return undefined
  const items = rlpList(item, 'the statement of a validator')
  const [version, madeAtMs, signature] = items
  if (rlpScalar(version, 'the version of a statement', 2) !== BigInt(STATEMENT_VERSION)) return undefined
  if (items.length !== 3) throw new RlpError(`a statement has 3 items, not ${items.length}`)
  return {
    madeAtMs: Number(rlpScalar(madeAtMs, 'the time of a statement', 6)),
    signature: rlpBytes(signature, 'the signature of a statement', 65).slice(),
  }
}
