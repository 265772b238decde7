import { equalBytes } from '../../../core/bytes/bytes.ts'
import { qbftBlockHash } from '../../../core/block/codec/blockHash.ts'
import type { Position } from '../../../core/qbft/codec/position.ts'
import type { PreparedCertificate, RoundChangeMessage } from '../../../core/qbft/message.ts'
import type { Recall } from '../../../core/qbft/restart/recall.ts'
import type { RestartRecord } from '../../../core/qbft/restart/restartRecord.ts'
import type {
  HeightState,
  ProposalCandidate,
  QbftState,
  RoundState,
  Votes,
} from '../../../core/qbft/state.ts'
import { preparedName } from '../world/actions.ts'
import type { World } from '../world/world.ts'

/** Writes what of a field decides the future; undefined for a field that decides nothing within the bounds. */
type Write<Value> = ((value: Value, naming: Naming) => string) | undefined

/** One entry for each field: a field that is added to the state does not type check until it stands here. */
type Fields<State> = { readonly [Field in keyof State]-?: Write<State[Field]> }

/** What the names in a key depend on. */
export type Naming = { readonly world: World }

const text = (value: unknown): string => String(value)
const sorted = (parts: readonly string[]): string => parts.toSorted().join(',')

/** The name of an address as a map key. */
const nodeOf = ({ world }: Naming, key: string): string =>
  `a${world.members.indexOf(Uint8Array.fromHex(key))}`

const prepares = (votes: Votes['prepares'], naming: Naming): string =>
  sorted(
    [...votes].map(
      ([key, { signed }]) =>
        `${nodeOf(naming, key)}:${naming.world.blocks.digestName(signed.payload.digest)}`,
    ),
  )

const commits = (votes: Votes['commits'], naming: Naming): string =>
  sorted(
    [...votes].map(([key, { signed }]) => {
      const { digest, round, commitSeal } = signed.payload
      const author = naming.world.members.indexOf(Uint8Array.fromHex(key))
      const name = naming.world.blocks.digestName(digest)
      const isSealed = equalBytes(commitSeal, naming.world.actions.sealOf(name, round, author))
      return `a${author}:${name}${isSealed ? '' : '!'}`
    }),
  )

const votes = (of: Votes, naming: Naming): string =>
  `${prepares(of.prepares, naming)};${commits(of.commits, naming)}`

const candidate = (value: ProposalCandidate | undefined, { world }: Naming): string =>
  value === undefined ? '-' : world.blocks.digestName(value.digest)

const roundChange = ({ signed, block }: RoundChangeMessage, { world }: Naming): string =>
  `${signed.payload.round}/${preparedName(world.blocks, signed.payload.prepared)}${block === undefined ? '' : 'b'}`

const certificate = (value: PreparedCertificate | undefined, { world }: Naming): string =>
  value === undefined ? '-' : preparedName(world.blocks, value)

/** Writes the fields of a value in a fixed order. */
const written = <State extends object>(
  fields: Fields<State>,
  state: State | undefined,
  naming: Naming,
): string => {
  if (state === undefined) return '-'
  let key = ''
  for (const field in fields) {
    const write = fields[field]
    if (write !== undefined) key += `${write(state[field], naming)}|`
  }
  return key
}

const RECORD: Fields<RestartRecord> = {
  sequence: text,
  round: text,
  proposed: (digest, { world }) => world.blocks.digestName(digest),
  prepared: (digest, { world }) => world.blocks.digestName(digest),
  committed: (digest, { world }) => world.blocks.digestName(digest),
  certificate,
}

export const recordKey = (record: RestartRecord | undefined, naming: Naming): string =>
  written(RECORD, record, naming)

const ROUND: Fields<RoundState> = {
  round: text,
  prepares,
  commits,
  candidate,
  proposal: candidate,
  prepared: text,
  ownCommit: signed => text(signed !== undefined),
  // Only for evidence, which the messages that were sent show as well, and to send back signatures, see adversary/echoes.ts.
  first: undefined,
  justification: (changes, naming) => sorted(changes.map(change => roundChange(change, naming))),
  reproposal: (block, { world }) =>
    block === undefined ? '-' : world.blocks.chainOf(qbftBlockHash(block.header)),
}

const HEIGHT: Fields<HeightState> = {
  // Follows from the chain, which is part of the key.
  head: undefined,
  sequence: undefined,
  quorum: undefined,
  active: text,
  round: (round, naming) => written(ROUND, round, naming),
  futureVotes: (rounds, naming) => sorted([...rounds].map(([round, of]) => `${round}=${votes(of, naming)}`)),
  roundChanges: (changes, naming) =>
    sorted([...changes].map(([key, change]) => `${nodeOf(naming, key)}:${roundChange(change, naming)}`)),
  // Limits of floods, which `bare` empties.
  peerBudgets: undefined,
  actionedRound: text,
  certificate,
  // How long rounds last, which the explorer leaves open.
  failedRounds: undefined,
  heldMs: undefined,
  softTimeoutMs: undefined,
  // A known verdict spares a verification, which is no step of its own unless works are slow.
  verdicts: (verdicts, { world }) =>
    sorted(
      [...(world.scope.slow ? verdicts : [])].map(
        ([hash, { state }]) => `${world.blocks.chainOf(Uint8Array.fromHex(hash))}:${state}`,
      ),
    ),
  signed: recordKey,
  floor: text,
  hasForgotten: text,
  pastSignatures: undefined,
  // Sent again to a validator that connects: what was sent once can be heard at any time.
  ownMessages: undefined,
  ownRoundChange: message => text(message !== undefined),
  importing: (hash, { world }) => (hash === undefined ? '-' : world.blocks.chainOf(hash)),
}

const HEIGHT_BUT_ROUND: Fields<HeightState> = { ...HEIGHT, round: undefined }

const position = ({ sequence, round }: Position): string => `${sequence}/${round}`

/** Requests to all beyond the second one change nothing among validators that report their rounds, as all of these do. */
const REQUESTS_MAX = 2

const RECALL: Fields<Recall> = {
  recordSequence: text,
  isDamaged: text,
  asked: (asked, naming) => sorted([...asked].map(key => nodeOf(naming, key))),
  reports: (reports, naming) =>
    sorted(
      [...reports].map(
        ([key, { lowest, latest, hasRound }]) =>
          `${nodeOf(naming, key)}:${position(lowest)}:${position(latest)}${hasRound ? '' : '?'}`,
      ),
    ),
  requests: ({ sequence, count }) => `${sequence}/${Math.min(count, REQUESTS_MAX)}`,
  clearedAt: text,
  isSettled: text,
}

const STATE: Fields<QbftState> = {
  height: (height, naming) => written(HEIGHT, height, naming),
  future: (messages, { world }) => sorted(messages.map(({ wire }) => world.actions.nameOf(wire))),
  // Duplicates are heard again, because the environment of the explorer remembers none.
  seen: undefined,
  restart: recordKey,
  recall: (recall, naming) => written(RECALL, recall, naming),
  shownAtMs: undefined,
}

/** The same text for two states exactly when the machine treats both alike within the bounds. */
export const stateKey = (state: QbftState, naming: Naming): string => written(STATE, state, naming)

const areSame = <State extends object>(fields: Fields<State>, one: State, other: State): boolean => {
  for (const field in fields) if (fields[field] !== undefined && one[field] !== other[field]) return false
  return true
}

const isSameRound = (one: RoundState | undefined, other: RoundState | undefined): boolean =>
  one === other || (one !== undefined && other !== undefined && areSame(ROUND, one, other))

/** True when a step changed no field that decides the future. Cheap; false also for equal copies. */
export const isUnchanged = (before: QbftState, after: QbftState): boolean => {
  if (before.recall !== after.recall || before.future !== after.future || before.restart !== after.restart)
    return false
  const [one, other] = [before.height, after.height]
  if (one === undefined || other === undefined) return one === other
  return areSame(HEIGHT_BUT_ROUND, one, other) && isSameRound(one.round, other.round)
}

/**
 * The state without limits of floods, without what counts time, and without first signatures: those would differ between
 * states of one key, and evidence follows from what was sent.
 */
export const bare = (state: QbftState): QbftState => {
  const { height } = state
  if (height === undefined) return state
  const { round } = height
  return {
    ...state,
    shownAtMs: new Map(),
    height: {
      ...height,
      round: round === undefined ? undefined : { ...round, first: new Map() },
      pastSignatures: new Map(),
      peerBudgets: new Map(),
      failedRounds: 0,
      heldMs: 0,
      ownMessages: [],
    },
  }
}
