import type { Cluster, ClusterOptions } from '../cluster/support/cluster.ts'
import type { seededRandom } from '../support/random.ts'

/** What an attack is given: a network that runs, four validators unless it asks for something else. */
export type AttackContext = {
  readonly cluster: Cluster
  /** For files of the attack; the harness removes it. */
  readonly folder: string
  readonly random: ReturnType<typeof seededRandom>
  /** Prints a line of progress. */
  readonly say: (text: string) => void
}

/** What the network may suffer during an attack. More than that, and the attack bites. */
export type Limits = {
  /** Longest time between two new heads. */
  readonly blockGapMs: number
  /** Longest time for `eth_chainId` and `/liveness` of a node that runs. */
  readonly answerMs: number
  /** Growth of the resident memory of any one node. */
  readonly growthMb: number
  /** Blocks until a transfer of a funded account is mined. */
  readonly transferBlocks: number
}

export type AttackedNetwork = Partial<Omit<ClusterOptions, 'folder'>>

export type Attack = {
  /** In kebab case; `--only` takes it. */
  readonly name: string
  /** One sentence: what the attacker does. */
  readonly what: string
  /** What differs from four validators with blocks of one second; a function where it needs files, in a folder that is removed. */
  readonly network?: AttackedNetwork | ((folder: string) => AttackedNetwork)
  /** Where the attack needs other limits than the usual ones; say why beside them. */
  readonly limits?: Partial<Limits>
  /** Attacks, and returns a sentence for each fault that only the attack itself can see: an empty list where there is none. */
  readonly run: (context: AttackContext) => Promise<readonly string[]>
}

/** A network for attacks that wait for one lost round after the other: they measure what stays, not how long a round is. */
export const SHORT_ROUNDS: AttackedNetwork = { qbft: { requesttimeoutseconds: 1 } }

/**
 * Blocks come each second; a lost round costs its timeout of four seconds, and two cores carry four validators and the attacker.
 * The next block may be under way already when a transfer is accepted: it is in the second one.
 */
export const USUAL_LIMITS: Limits = { blockGapMs: 8_000, answerMs: 2_000, growthMb: 512, transferBlocks: 2 }
