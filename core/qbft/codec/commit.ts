import { encodeRlp } from '../../rlp/rlp.ts'
import type { CommitMessage, CommitPayload } from '../message.ts'
import { decodeDigest, decodeRoundIdentifier, decodeSignature } from './field.ts'
import { type RawItem, rawItems } from '../../rlp/rawItem.ts'
import { decodeSigned, encodeSigned } from './signed.ts'

/** RLP `[sequence, round, digest, commitSeal]`. */
export const encodeCommitPayload = ({ sequence, round, digest, commitSeal }: CommitPayload): Uint8Array =>
  encodeRlp([sequence, round, digest, commitSeal])

const decodePayload = (raw: RawItem): CommitPayload => {
  const items = rawItems(raw, 'commit payload', 4)
  return {
    ...decodeRoundIdentifier(items),
    digest: decodeDigest(items[2]),
    commitSeal: decodeSignature(items[3], 'commit seal'),
  }
}

/** @throws RlpError */
export const decodeCommit = (raw: RawItem): CommitMessage => ({
  kind: 'commit',
  signed: decodeSigned(raw, 'signed commit', decodePayload),
})

/** `[payload, signature]`. */
export const encodeCommit = ({ signed }: CommitMessage): Uint8Array => encodeSigned(signed)
