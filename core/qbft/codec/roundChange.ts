import { encodedBlockPieces } from '../../block/codec/block.ts'
import { EMPTY_LIST, joinRlpList } from '../../rlp/list.ts'
import { encodeRlp } from '../../rlp/rlp.ts'
import type { Steps } from '../../steps.ts'
import type {
  Dialect,
  PreparedMetadata,
  RoundChangeMessage,
  RoundChangePayload,
  SignedRoundChange,
} from '../message.ts'
import { decodeMessageBlock } from './block.ts'
import { blockAccessListItems, refuseBlockAccessList } from './blockAccessList.ts'
import { decodeDigest, decodeRound, decodeRoundIdentifier, isEmptyList } from './field.ts'
import { decodeSignedPrepares } from './prepare.ts'
import { type RawItem, rawItems } from '../../rlp/rawItem.ts'
import { decodeSigned, decodeSignedList, signedPieces, encodeSignedList } from './signed.ts'

/** RLP `[sequence, targetRound, []]`, or with `[preparedRound, preparedDigest]` in the list. */
export const encodeRoundChangePayload = ({ sequence, round, prepared }: RoundChangePayload): Uint8Array =>
  encodeRlp([sequence, round, prepared === undefined ? [] : [prepared.round, prepared.digest]])

const decodePrepared = (raw: RawItem): PreparedMetadata | undefined => {
  if (isEmptyList(raw)) return undefined
  const [round, digest] = rawItems(raw, 'prepared metadata', 2)
  return { round: decodeRound(round, 'prepared round'), digest: decodeDigest(digest) }
}

const decodePayload = (raw: RawItem): RoundChangePayload => {
  const items = rawItems(raw, 'round change payload', 3)
  return { ...decodeRoundIdentifier(items), prepared: decodePrepared(items[2] as RawItem) }
}

/** @throws RlpError */
export const decodeSignedRoundChanges = (raw: RawItem): SignedRoundChange[] =>
  decodeSignedList(raw, 'round changes', decodePayload)

/** A round change whose block, the most expensive part, is not decoded. */
type OpenedRoundChange = Omit<RoundChangeMessage, 'block'> & { readonly block: RawItem | undefined }

/** Decodes either dialect. @throws RlpError */
export const openRoundChange = (raw: RawItem): OpenedRoundChange => {
  const items = rawItems(raw, 'round change', 3, 4)
  const [signed, block] = items as [RawItem, RawItem]
  if (items.length === 4) refuseBlockAccessList(items[2])
  return {
    kind: 'round-change',
    signed: decodeSigned(signed, 'signed round change', decodePayload),
    block: isEmptyList(block) ? undefined : block,
    prepares: decodeSignedPrepares(items.at(-1) as RawItem),
  }
}

/** Decodes the block, if there is one. @throws RlpError @throws DecodeError */
export function* readRoundChange(opened: OpenedRoundChange): Steps<RoundChangeMessage> {
  const { block } = opened
  return { ...opened, block: block === undefined ? undefined : yield* decodeMessageBlock(block) }
}

/** Encodes `[signed, block or [], prepares]`; one dialect has a block access list before the prepares. */
export const encodeRoundChange = (
  { signed, block, prepares }: RoundChangeMessage,
  dialect: Dialect,
): Uint8Array =>
  joinRlpList([
    ...signedPieces(signed),
    ...(block === undefined ? [EMPTY_LIST] : encodedBlockPieces(block)),
    ...blockAccessListItems(dialect),
    encodeSignedList(prepares),
  ])
