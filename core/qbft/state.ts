import type { Address, Hash } from '../bytes/bytes.ts'
import type { Block } from '../chain/block.ts'
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
import type { RestartRecord } from './restartRecord.ts'
import type { Share } from './shares.ts'
import type { Recall } from './recall.ts'
import { emptySeenMessages, type SeenMessages } from './seenMessages.ts'

/** An address as key of a map: its bare hex. */
export type AddressKey = string

/** A justified proposal of the current round, on its way through verification or past it. */
export type ProposalCandidate = {
  readonly message: ProposalMessage
  readonly author: Address
  /** Whose connection it came over, the own address for an own one. */
  readonly peer: Address
  /** What prepares and commits name. */
  readonly digest: Hash
  /** The on-chain hash. */
  readonly hash: Hash
}

/** The first signature seen of an author for one kind of message in a round: a second, different one is evidence. */
export type FirstSignature = { readonly digest: Hash; readonly wire: WireMessage }

/** One vote of each author; before there is a proposal they stand unjudged. */
export type Votes = {
  readonly prepares: ReadonlyMap<AddressKey, PrepareMessage>
  readonly commits: ReadonlyMap<AddressKey, CommitMessage>
}

export type RoundState = Votes & {
  readonly round: number
  /** Being verified. */
  readonly candidate: ProposalCandidate | undefined
  /** Verified and, as far as the own signatures of earlier lives allow, prepared. */
  readonly proposal: ProposalCandidate | undefined
  readonly prepared: boolean
  /** Made when it first counts; undefined before, and when it could not or must not be made. */
  readonly ownCommit: SignedCommit | undefined
  /** By kind and author. */
  readonly first: ReadonlyMap<string, FirstSignature>
  /** The round changes that the own proposal is decided by, from its beginning. */
  readonly justification: readonly RoundChangeMessage[]
  /** The block of a certificate to be proposed again once it is verified. */
  readonly toPropose: Block | undefined
}

/** What came of verifying a block; `invalid` says why it is not valid. */
export type Verdict =
  /** `block` is the one that is being verified since `round`: another body may come under its hash. */
  | { readonly state: 'pending'; readonly block: Block; readonly round: number }
  | { readonly state: 'valid' }
  | { readonly state: 'invalid'; readonly why: string }

/** Agreement on one height. */
export type HeightState = {
  readonly head: HeadContext
  readonly sequence: bigint
  readonly quorum: number
  /** False while catching up, and for a node that is none of the validators: it sends nothing and runs no timer. */
  readonly active: boolean
  /** Undefined until the block timer fires or something shows that the others began. */
  readonly round: RoundState | undefined
  /** Votes that came before their round; few rounds of each author. */
  readonly futureVotes: ReadonlyMap<number, Votes>
  /** Of each author the one for the highest round. */
  readonly roundChanges: ReadonlyMap<AddressKey, RoundChangeMessage>
  /** By peer: what was looked into since the round began. */
  readonly shares: ReadonlyMap<string, Share>
  /** The highest round that a quorum of round changes was acted on for. */
  readonly actionedRound: number
  readonly certificate: PreparedCertificate | undefined
  /** In a row, in which a quorum was heard in vain until the own timer fired: what round timeouts grow by. */
  readonly failedRounds: number
  /** How long the round was held since it began because no quorum was heard in it. */
  readonly heldMs: number
  /** As far as round timeouts grow readily; see timeouts.ts. */
  readonly readyMs: number
  /** By on-chain hash. */
  readonly verdicts: ReadonlyMap<string, Verdict>
  readonly signed: RestartRecord
  /** Nothing is signed for a round below it, for this validator may have signed there before it started; see recall.ts. */
  readonly floor: number
  /** Others showed signatures of this validator that it did not know. */
  readonly hasForgotten: boolean
  /** First signatures of rounds that are past, by round. */
  readonly pastSignatures: ReadonlyMap<number, RoundState['first']>
  /** Own messages of the current round, for validators that connect late. */
  readonly ownMessages: readonly WireMessage[]
  readonly ownRoundChange: WireMessage | undefined
  /** On-chain hash of the block that a quorum committed. */
  readonly importing: Hash | undefined
}

/** Everything a validator knows of the consensus; plain data that no transition changes in place. */
export type QbftState = {
  /** Undefined until the first head is told. */
  readonly height: HeightState | undefined
  readonly future: FutureMessages
  readonly seen: SeenMessages
  /** What was signed before this process began, until its height is over. */
  readonly restart: RestartRecord | undefined
  /** What was signed in earlier lives beside it; undefined once nothing of that matters any more. */
  readonly recall: Recall | undefined
  /** When each validator was shown last what it signed itself, milliseconds since 1970. */
  readonly shownAtMs: ReadonlyMap<AddressKey, number>
}

/**
 * A node that has just begun; `record` is what it wrote in its earlier life, undefined on a new one. Without `recall` it takes
 * the record for all that it ever signed.
 */
export const initialState = (record: RestartRecord | undefined, recall?: Recall): QbftState => ({
  height: undefined,
  future: emptyFutureMessages,
  seen: emptySeenMessages,
  restart: record,
  recall,
  shownAtMs: new Map(),
})
