import { encodedBlockPiecesSteps } from '../../block/codec/block.ts'
import type { KnownTransaction } from '../../block/transaction.ts'
import { joinRlpList } from '../../rlp/list.ts'
import { encodeRlp } from '../../rlp/rlp.ts'
import type { Steps } from '../../steps.ts'
import type { Dialect, ProposalMessage, ProposalPayload, RoundIdentifier, Signed } from '../message.ts'
import { decodeMessageBlock } from './block.ts'
import { blockAccessListItems, refuseBlockAccessList } from './blockAccessList.ts'
import { decodeRoundIdentifier } from './field.ts'
import { decodeSignedPrepares } from './prepare.ts'
import { type RawItem, rawItems } from '../../rlp/rawItem.ts'
import { decodeSignedRoundChanges } from './roundChange.ts'
import { encodeSignedList, openSigned, signedPieces } from './signed.ts'

/**
 * RLP `[sequence, round, block]`; one dialect adds a block access list, which the signature covers. Yields within a large
 * block.
 */
export function* encodeProposalPayloadSteps(
  { sequence, round, block }: ProposalPayload,
  dialect: Dialect,
): Steps<Uint8Array> {
  return joinRlpList([
    encodeRlp(sequence),
    encodeRlp(round),
    ...(yield* encodedBlockPiecesSteps(block)),
    ...blockAccessListItems(dialect),
  ])
}

function* decodePayload(raw: RawItem, known: KnownTransaction | undefined): Steps<ProposalPayload> {
  const items = rawItems(raw, 'proposal payload', 3, 4)
  refuseBlockAccessList(items[3])
  return { ...decodeRoundIdentifier(items), block: yield* decodeMessageBlock(items[2] as RawItem, known) }
}

/** A proposal whose block, the most expensive part, is not decoded. */
export type OpenedProposal = Omit<ProposalMessage, 'signed'> & { readonly signed: Signed<RoundIdentifier> }

/** Decodes either dialect. @throws RlpError */
export const openProposal = (raw: RawItem): OpenedProposal => {
  const [signed, justification] = rawItems(raw, 'proposal', 2) as [RawItem, RawItem]
  const [roundChanges, prepares] = rawItems(justification, 'justification', 2) as [RawItem, RawItem]
  return {
    kind: 'proposal',
    signed: openSigned(signed, 'signed proposal'),
    roundChanges: decodeSignedRoundChanges(roundChanges),
    prepares: decodeSignedPrepares(prepares),
  }
}

/**
 * Decodes the block.
 * @param known transactions that need not be decoded again
 * @throws RlpError
 * @throws DecodeError
 */
export function* readProposal(opened: OpenedProposal, known?: KnownTransaction): Steps<ProposalMessage> {
  const { signed } = opened
  return { ...opened, signed: { ...signed, payload: yield* decodePayload(signed.payloadBytes, known) } }
}

/** Encodes `[signed, [roundChanges, prepares]]`, in the dialect of the signed bytes. */
export const encodeProposal = ({ signed, roundChanges, prepares }: ProposalMessage): Uint8Array =>
  joinRlpList([
    ...signedPieces(signed),
    joinRlpList([encodeSignedList(roundChanges), encodeSignedList(prepares)]),
  ])
