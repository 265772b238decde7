import type { Hash } from '../bytes/bytes.ts'
import type { Block } from '../block/block.ts'
import type { Seal } from '../block/codec/seal.ts'

/**
 * The encoding of proposals and round changes: `legacy` has three items (Besu up to 25.12, GoQuorum), `blockAccessList`
 * four, one of them for a block access list (Besu from 26.1). Decoding accepts both; encoding is configured.
 */
export type Dialect = 'legacy' | 'blockAccessList'

/** The height and round of a message. */
export type RoundIdentifier = { readonly sequence: bigint; readonly round: number }

/** A signed payload. */
export type Signed<Payload> = {
  readonly payload: Payload
  /** The signed RLP of the payload. The author is recovered from these bytes, never from a new encoding. */
  readonly payloadBytes: Uint8Array
  readonly signature: Seal
}

export type PreparePayload = RoundIdentifier & {
  /** The proposal's `qbftSealHash`. */
  readonly digest: Hash
}

export type CommitPayload = RoundIdentifier & {
  readonly digest: Hash
  /** Signature over the header's seal hash with the commit's round. */
  readonly commitSeal: Seal
}

/** The round and digest that the author of a round change prepared. */
export type PreparedMetadata = { readonly round: number; readonly digest: Hash }

export type RoundChangePayload = RoundIdentifier & { readonly prepared: PreparedMetadata | undefined }

export type ProposalPayload = RoundIdentifier & { readonly block: Block }

export type SignedPrepare = Signed<PreparePayload>
export type SignedCommit = Signed<CommitPayload>
export type SignedRoundChange = Signed<RoundChangePayload>
export type SignedProposal = Signed<ProposalPayload>

/**
 * A proposal with its justification in a round above 0: signed round changes, and the prepares of the best certificate.
 */
export type ProposalMessage = {
  readonly kind: 'proposal'
  readonly signed: SignedProposal
  readonly roundChanges: readonly SignedRoundChange[]
  readonly prepares: readonly SignedPrepare[]
}

export type PrepareMessage = { readonly kind: 'prepare'; readonly signed: SignedPrepare }

export type CommitMessage = { readonly kind: 'commit'; readonly signed: SignedCommit }

/** A round change. If its author was prepared, it has the block and the prepares that prove it. */
export type RoundChangeMessage = {
  readonly kind: 'round-change'
  readonly signed: SignedRoundChange
  readonly block: Block | undefined
  readonly prepares: readonly SignedPrepare[]
}

export type QbftMessage = ProposalMessage | PrepareMessage | CommitMessage | RoundChangeMessage

/** Message codes of istanbul/100; each signature covers the code. */
export const QBFT_CODES = { proposal: 0x12, prepare: 0x13, commit: 0x14, 'round-change': 0x15 } as const

export type QbftCode = (typeof QBFT_CODES)[QbftMessage['kind']]

const CODES: ReadonlySet<number> = new Set(Object.values(QBFT_CODES))

/** True for the code of a proposal, a prepare, a commit or a round change. */
export const isQbftCode = (code: number): boolean => CODES.has(code)

/** A message as sent over the network. */
export type WireMessage = { readonly code: number; readonly data: Uint8Array }

/**
 * The prepared certificate that a validator is locked on: a block, the round it was prepared in, and a quorum of prepares.
 */
export type PreparedCertificate = {
  /** Its extraData has the round. */
  readonly block: Block
  readonly round: number
  readonly digest: Hash
  readonly prepares: readonly SignedPrepare[]
}
