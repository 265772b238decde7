import type { GenesisDifference } from '../../core/genesis/comparison/genesisDifference.ts'
import type { RecallProgress } from '../consensus/reports/consensusReport.ts'
import type { RoundProgress } from '../consensus/reports/roundProgress.ts'
import type { NextBlock } from './nextBlock.ts'

/** State of one validator as this node sees it. Addresses in hex, times in milliseconds since 1970. */
export type ValidatorReport = {
  readonly address: string
  readonly isSelf: boolean
  /** Its last signed message or block. */
  readonly lastSeenMs: number | undefined
  readonly isConnected: boolean
  /** Where it listens, or listened last; where it is connected from if it announced no port. */
  readonly remoteAddress: string | undefined
  readonly client: string | undefined
  /** Its clock minus that of this node. */
  readonly clockOffsetMs: number | undefined
  /**
   * Why the last attempt to connect failed; undefined when it succeeded, or when the validator's address is unknown.
   */
  readonly dialError: string | undefined
  /** Entries of the genesis file that differ there. */
  readonly differing: readonly string[]
  /** Of these the forks that no block had yet. */
  readonly laterForks?: readonly string[]
}

export type PoolReport = {
  readonly size: number
  /** Transactions that follow their account without a nonce gap. */
  readonly ready: number
  /** Transactions that wait behind a nonce gap. */
  readonly queued: number
  /** Whether the next block can take any. */
  readonly hasRunnable: boolean
  /** Why the next block does not take the first transactions of the pool: a sentence, and how many share it. */
  readonly reasons: ReadonlyMap<string, number>
  /** Transactions refused in the last minutes, by the reason in the answer. */
  readonly refused: ReadonlyMap<string, number>
}

/** Inputs of the explanation of a stall. */
export type NodeReport = {
  readonly nowMs: number
  readonly headNumber: bigint
  /** Seconds without a block, once the next one is overdue; undefined while it may still come in time. */
  readonly overdueSeconds: number | undefined
  /** This node is a validator that takes part in consensus. */
  readonly isValidator: boolean
  /** Why it takes no part although it is a validator; undefined where nothing keeps it. */
  readonly refusal: string | undefined
  /** Says that another node runs with the key of this one; undefined while none is known. */
  readonly keyInUse?: string | undefined
  /** It connects to other nodes. */
  readonly connects: boolean
  readonly peerCount: number
  readonly validators: readonly ValidatorReport[]
  readonly quorum: number
  /** A validator counts as silent after this time without a message. */
  readonly silentMs: number
  readonly round: number | undefined
  /** When the next round begins. */
  readonly nextAttemptMs: number | undefined
  /** Why the node cannot write to the chain store or to its restart record. */
  readonly failures: readonly string[]
  /** The invariant of consensus that was broken, after which this validator signs nothing. */
  readonly brokenInvariant?: string | undefined
  /** Why the validators of the next block cannot be read from their contract, or cannot be a quorum. */
  readonly validatorsFailure: string | undefined
  /** What the rules demand of the next block; undefined before consensus has read the head. */
  readonly nextBlock: NextBlock | undefined
  /** The gas to which this validator limits its blocks after undecided rounds. */
  readonly proposalGasMax: bigint | undefined
  /** Start of the unfinished write. */
  readonly writingSinceMs: number | undefined
  /** The last finished write. */
  readonly lastWrite: { readonly atMs: number; readonly tookMs: number } | undefined
  readonly syncing: { readonly currentBlock: bigint; readonly highestBlock: bigint } | undefined
  /** Nodes that were refused or warned of because their genesis file differs. */
  readonly differences: readonly GenesisDifference[]
  readonly rejectedProposal:
    | { readonly round: number; readonly proposer: string | undefined; readonly rule: string }
    | undefined
  /** The last round whose proposal could not be executed within the time of the round. */
  readonly unverifiedRound: number | undefined
  /** The last round in which this validator could not build its block. */
  readonly unbuiltRound: number | undefined
  /** The last round of the height that ended without a block, else the current one. */
  readonly lastRound: RoundProgress | undefined
  /** Set while this validator has restarted and may not sign yet. */
  readonly recall: RecallProgress | undefined
  /** The mean load of this machine in the last minute, and the processors that share it. */
  readonly load: { readonly average: number; readonly processors: number }
  readonly pool: PoolReport
}

/** Kinds of causes, in order of precedence. */
export const CAUSES = [
  'invariant',
  'disk',
  'disk-slow',
  'key-in-use',
  'genesis',
  'behind',
  'no-validators',
  'gas-limit',
  'head-in-future',
  'clocks',
  'not-connected',
  'too-few-heard',
  'proposal-rejected',
  'execution-over-bound',
  'not-built',
  'not-a-validator',
  'not-signing',
  'rounds-fail',
  'pool',
  'unknown',
] as const

export type CauseKind = (typeof CAUSES)[number]

export type Cause = {
  readonly kind: CauseKind
  /** True where it stops nothing yet. */
  readonly isLater?: true
  /** True where no block can be decided while it lasts, overdue or not. */
  readonly stops?: true
  /** Without a capital letter at the beginning and a full stop at the end. */
  readonly text: string
}
