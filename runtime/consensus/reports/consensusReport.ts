import { type Address, equalBytes } from '../../../core/bytes/bytes.ts'
import { toHex } from '../../../core/bytes/hex.ts'
import type { DropReason } from '../../../core/qbft/effect.ts'
import { QBFT_CODES } from '../../../core/qbft/message.ts'
import { quorumOf } from '../../../core/validators/quorum.ts'
import type { ConsensusObserver, ConsensusStep } from './observer.ts'
import { createRoundWatch, type RoundProgress } from './roundProgress.ts'

/** The last proposal of the current height that this validator did not accept. */
export type RejectedProposal = {
  readonly round: number
  /** Undefined where the message does not prove its author. */
  readonly proposer: string | undefined
  /** The broken rule, with what was expected and found. */
  readonly rule: string
}

/** What consensus has seen lately; addresses in hex, times in milliseconds since 1970. */
export type ConsensusReport = {
  /** Height that is being decided; undefined before the first head. */
  readonly height: bigint | undefined
  readonly validators: readonly string[]
  readonly quorum: number
  /** The round of the height; undefined before the first one starts, and for a node that takes no part. */
  readonly round: number | undefined
  /** How long the current round lasts; undefined before the first one starts. */
  readonly roundTimeoutMs: number | undefined
  /** When the head arrived. */
  readonly headAtMs: number
  /** When the block after the head may be made; undefined before the first head. */
  readonly readyAtMs: number | undefined
  /** The last message or block of each validator. */
  readonly lastSeenMs: ReadonlyMap<string, number>
  readonly rejectedProposal: RejectedProposal | undefined
  /** The last round of the height whose proposal could not be executed within the time of the round. */
  readonly unverifiedRound: number | undefined
  /** The last round of the height in which this validator could not build its block. */
  readonly unbuiltRound: number | undefined
  /** The last round of the height that ended without a block, else the current one. */
  readonly lastRound: RoundProgress | undefined
  /** The positions that a restarted validator has and needs; undefined once it may sign. */
  readonly recall: RecallProgress | undefined
}

/** How many other validators have reported their height and round, and how many have to. */
export type RecallProgress = { readonly reported: number; readonly needed: number }

/** Drop reasons of a proposal that say what is wrong with it. */
const PROPOSAL_FAULTS: ReadonlySet<DropReason> = new Set([
  'not-the-proposer',
  'unjustified',
  'wrong-digest',
  'invalid-block',
])

/** Drop reasons that say nothing about whether the peer works. */
const MESSAGE_FAULTS: ReadonlySet<DropReason> = new Set([
  'unknown-code',
  'undecodable',
  'bad-signature',
  'oversized',
])

type Height = Pick<
  ConsensusReport,
  | 'height'
  | 'validators'
  | 'quorum'
  | 'round'
  | 'roundTimeoutMs'
  | 'headAtMs'
  | 'readyAtMs'
  | 'rejectedProposal'
  | 'unverifiedRound'
  | 'unbuiltRound'
>

const NO_HEIGHT: Height = {
  height: undefined,
  validators: [],
  quorum: 0,
  round: undefined,
  roundTimeoutMs: undefined,
  headAtMs: 0,
  readyAtMs: undefined,
  rejectedProposal: undefined,
  unverifiedRound: undefined,
  unbuiltRound: undefined,
}

/** The failure of a round's proposal that a step reports; undefined when there is none. */
const faultIn = ({ input, effects, state }: ConsensusStep): Partial<Height> | undefined => {
  const round = state.height?.round?.round ?? 0
  if (input.kind === 'block-unverified') return { unverifiedRound: round }
  if (input.kind === 'block-built' && input.block === undefined) return { unbuiltRound: input.round }
  for (const effect of effects) {
    if (effect.kind === 'round-started') return { roundTimeoutMs: effect.timeoutMs }
    if (effect.kind !== 'dropped' || !PROPOSAL_FAULTS.has(effect.reason)) continue
    const isProposal = input.kind === 'message' && input.message.code === QBFT_CODES.proposal
    if (!isProposal && effect.reason !== 'invalid-block') continue
    const proposer = effect.author === undefined ? undefined : toHex(effect.author)
    return { rejectedProposal: { round, proposer, rule: `${effect.reason}: ${effect.detail}` } }
  }
  return undefined
}

/** Keeps what an operator asks for when blocks stop. Bounded by the validators of the head. */
export const createConsensusReport = (
  address: Address,
): { readonly observer: ConsensusObserver; readonly now: () => ConsensusReport } => {
  const own = toHex(address)
  const lastSeenMs = new Map<string, number>()
  const rounds = createRoundWatch(address)
  let height = NO_HEIGHT
  let recall: RecallProgress | undefined

  const seen = (validator: Address, nowMs: number): void => {
    const key = toHex(validator)
    if (height.validators.includes(key)) lastSeenMs.set(key, nowMs)
  }

  const stepped = (step: ConsensusStep): void => {
    const { input, effects, state, nowMs } = step
    if (input.kind === 'message') {
      const isWorthless = effects.some(
        effect =>
          effect.kind === 'dropped' &&
          equalBytes(effect.peer, input.peer) &&
          MESSAGE_FAULTS.has(effect.reason),
      )
      if (!isWorthless) seen(input.peer, nowMs)
    }
    for (const effect of effects) {
      if (effect.kind === 'relay') seen(effect.author, nowMs)
      if (effect.kind === 'recall') recall = effect.round === undefined ? effect : undefined
    }
    if (state.height?.active === true) rounds.stepped(state.height, nowMs)
    const fault = faultIn(step)
    const round = state.height?.active === true ? state.height.round?.round : undefined
    if (fault !== undefined || round !== height.round) height = { ...height, round, ...fault }
  }

  return {
    observer: {
      stepped,
      newHead: (head, nowMs) => {
        const validators = head.validators.map(toHex)
        rounds.newHead()
        height = {
          ...NO_HEIGHT,
          height: head.number + 1n,
          validators,
          quorum: quorumOf(validators.length),
          headAtMs: nowMs,
          readyAtMs: head.readyAtMs,
        }
        for (const validator of lastSeenMs.keys())
          if (!validators.includes(validator)) lastSeenMs.delete(validator)
        seen(head.coinbase, nowMs)
      },
      refused: () => undefined,
      sent: () => undefined,
    },
    now: () => {
      const nowMs = Date.now()
      if (height.validators.includes(own)) lastSeenMs.set(own, nowMs)
      return { ...height, lastSeenMs, lastRound: rounds.progress(nowMs), recall }
    },
  }
}
