import type { Hash } from '../bytes/bytes.ts'
import type { Block } from '../chain/block.ts'
import type { Seal } from '../chain/codec/seal.ts'

/**
 * How proposals and round changes are written: `legacy` with three items (Besu up to 25.12, GoQuorum), `blockAccessList`
 * with four, one of them for a block access list (Besu from 26.1). Reading counts the items; writing is configured.
 */
export type Dialect = 'legacy' | 'blockAccessList'

/** The height and round a message is about. */
export type RoundIdentifier = { readonly sequence: bigint; readonly round: number }

/** A payload as somebody signed it. */
export type Signed<Payload> = {
  readonly payload: Payload
  /** RLP of the payload as it was signed; the author is recovered from these bytes, never from a new encoding. */
  readonly payloadBytes: Uint8Array
  readonly signature: Seal
}

export type PreparePayload = RoundIdentifier & {
  /** The proposal's `qbftSealHash`. */
  readonly digest: Hash
}

export type CommitPayload = RoundIdentifier & {
  readonly digest: Hash
  /** Over the header's seal hash with the commit's round. */
  readonly commitSeal: Seal
}

/** In which round, and for which proposal, the author of a round change was prepared. */
export type PreparedMetadata = { readonly round: number; readonly digest: Hash }

export type RoundChangePayload = RoundIdentifier & { readonly prepared: PreparedMetadata | undefined }

export type ProposalPayload = RoundIdentifier & { readonly block: Block }

export type SignedPrepare = Signed<PreparePayload>
export type SignedCommit = Signed<CommitPayload>
export type SignedRoundChange = Signed<RoundChangePayload>
export type SignedProposal = Signed<ProposalPayload>

/** A proposal with what justifies it in a round above 0: signed round changes, and the prepares of the best certificate. */
export type ProposalMessage = {
  readonly kind: 'proposal'
  readonly signed: SignedProposal
  readonly roundChanges: readonly SignedRoundChange[]
  readonly prepares: readonly SignedPrepare[]
}

export type PrepareMessage = { readonly kind: 'prepare'; readonly signed: SignedPrepare }

export type CommitMessage = { readonly kind: 'commit'; readonly signed: SignedCommit }

/** A round change with, when its author was prepared, the block and the prepares that prove it. */
export type RoundChangeMessage = {
  readonly kind: 'round-change'
  readonly signed: SignedRoundChange
  readonly block: Block | undefined
  readonly prepares: readonly SignedPrepare[]
}

export type QbftMessage = ProposalMessage | PrepareMessage | CommitMessage | RoundChangeMessage

/** Message codes of istanbul/100, which are also signed with each payload. */
export const QBFT_CODES = { proposal: 0x12, prepare: 0x13, commit: 0x14, 'round-change': 0x15 } as const

export type QbftCode = (typeof QBFT_CODES)[QbftMessage['kind']]

/** A message as it crosses the network. */
export type WireMessage = { readonly code: number; readonly data: Uint8Array }

/** A block, the round it was prepared in and the quorum of prepares that proves it: what a validator is locked on. */
export type PreparedCertificate = {
  /** Its extraData carries the round. */
  readonly block: Block
  readonly round: number
  readonly digest: Hash
  readonly prepares: readonly SignedPrepare[]
}
