import type { Address, Hash } from '../bytes/bytes.ts'
import type { Block } from '../block/block.ts'
import { emptyFutureMessages, type FutureMessages } from './futureMessages.ts'
import type { HeadContext } from './input.ts'
import type {
  CommitMessage,
  PreparedCertificate,
  PrepareMessage,
  ProposalMessage,
  RoundChangeMessage,
  SignedCommit,
  WireMessage,
} from './message.ts'
import type { RestartRecord } from './restart/restartRecord.ts'
import type { PeerBudget } from './peerBudgets.ts'
import type { Recall } from './restart/recall.ts'
import { emptySeenMessages, type SeenMessages } from './seenMessages.ts'

/** An address as a map key: its hex digits without 0x. */
export type AddressKey = string

/** A justified proposal of the current round, verified or being verified. */
export type ProposalCandidate = {
  readonly message: ProposalMessage
  readonly author: Address
  /** The peer that delivered it; this validator's address for its own proposal. */
  readonly peer: Address
  /** The digest in prepares and commits. */
  readonly digest: Hash
  /** The on-chain hash. */
  readonly hash: Hash
}

/** The first signature of an author for one kind of message in a round: a second, different one is evidence. */
export type FirstSignature = { readonly digest: Hash; readonly wire: WireMessage }

/** One vote of each author. Votes that arrive before the proposal are unchecked. */
export type Votes = {
  readonly prepares: ReadonlyMap<AddressKey, PrepareMessage>
  readonly commits: ReadonlyMap<AddressKey, CommitMessage>
}

export type RoundState = Votes & {
  readonly round: number
  /** A proposal that is being verified. */
  readonly candidate: ProposalCandidate | undefined
  /** The accepted proposal; this validator prepared it unless an earlier signature forbids that. */
  readonly proposal: ProposalCandidate | undefined
  readonly prepared: boolean
  /** This validator's commit, signed when it first counts; undefined when it could not or must not be signed. */
  readonly ownCommit: SignedCommit | undefined
  /** First signatures by kind and author. */
  readonly first: ReadonlyMap<string, FirstSignature>
  /** The round changes that justify this validator's proposal, fixed when it starts. */
  readonly justification: readonly RoundChangeMessage[]
  /** The block of a certificate, to be proposed again once it is verified. */
  readonly reproposal: Block | undefined
}

/** The verification result of a block; `why` says why it is invalid. */
export type Verdict =
  /** `block` is being verified since `round`; a block with the same hash may have another body. */
  | { readonly state: 'pending'; readonly block: Block; readonly round: number }
  | { readonly state: 'valid' }
  | { readonly state: 'invalid'; readonly why: string }

/** The consensus state of one height. */
export type HeightState = {
  readonly head: HeadContext
  readonly sequence: bigint
  readonly quorum: number
  /** False during sync, and for a node that is not a validator: it sends nothing and runs no timer. */
  readonly active: boolean
  /** Undefined until the block timer fires or a message starts the round. */
  readonly round: RoundState | undefined
  /** Votes for later rounds, limited per author. */
  readonly futureVotes: ReadonlyMap<number, Votes>
  /** The round change for the highest round of each author. */
  readonly roundChanges: ReadonlyMap<AddressKey, RoundChangeMessage>
  /** Messages and bytes of each peer since the round started. */
  readonly peerBudgets: ReadonlyMap<string, PeerBudget>
  /** The highest round that a quorum of round changes was applied for. */
  readonly actionedRound: number
  readonly certificate: PreparedCertificate | undefined
  /** Consecutive rounds that timed out although a quorum was heard; the round timeout grows with it. */
  readonly failedRounds: number
  /** Time that this validator has stayed in the round because no quorum was heard in it. */
  readonly heldMs: number
  /** The soft limit of the round timeout; see timeouts.ts. */
  readonly softTimeoutMs: number
  /** Verdicts by on-chain hash. */
  readonly verdicts: ReadonlyMap<string, Verdict>
  readonly signed: RestartRecord
  /**
   * This validator must not sign in a round below it, because it may have signed there before it started; see recall.ts.
   */
  readonly floor: number
  /** True when others sent back signatures of this validator that it did not know. */
  readonly hasForgotten: boolean
  /** First signatures of past rounds, by round. */
  readonly pastSignatures: ReadonlyMap<number, RoundState['first']>
  /** Messages of this validator in the current round, for validators that connect later. */
  readonly ownMessages: readonly WireMessage[]
  readonly ownRoundChange: WireMessage | undefined
  /** On-chain hash of the block that a quorum committed. */
  readonly importing: Hash | undefined
}

/** The complete consensus state of a validator: immutable plain data. */
export type QbftState = {
  /** Undefined until the first head arrives. */
  readonly height: HeightState | undefined
  readonly future: FutureMessages
  readonly seen: SeenMessages
  /** The restart record from before this start, until its height is over. */
  readonly restart: RestartRecord | undefined
  /** The recall of signatures that the restart record may miss; undefined when it is complete. */
  readonly recall: Recall | undefined
  /** When each validator was last sent its own signatures, milliseconds since 1970. */
  readonly shownAtMs: ReadonlyMap<AddressKey, number>
}

/**
 * The initial state. `record` is the restart record, undefined on a new node. Without `recall`, the record is assumed to
 * contain the last signatures of this validator.
 */
export const initialState = (record: RestartRecord | undefined, recall?: Recall): QbftState => ({
  height: undefined,
  future: emptyFutureMessages,
  seen: emptySeenMessages,
  restart: record,
  recall,
  shownAtMs: new Map(),
})
