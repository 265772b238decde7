import { faultsOf, quorumOf } from '../../core/validators/quorum.ts'
import { votesNeeded } from '../../core/validators/votes.ts'

/** A validator of a running network, as far as the effect of a vote depends on it. */
export type KnownValidator = { readonly address: string; readonly heard: boolean }

/** A vote of a validator that counts. */
export type CastVote = { readonly voter: string; readonly recipient: string; readonly add: boolean }

export type VoteEffect = {
  /** The effect of the change, in sentences. */
  readonly lines: readonly string[]
  /** Why the network would stop; undefined where it would not. */
  readonly loss: string | undefined
}

/** `1 vote`, `2 votes`. */
export const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`

/** `4 validators: a block needs 3 of them, 1 may fail`. */
export const quorumText = (validators: number): string => {
  const faults = faultsOf(validators)
  const needs = validators === 1 ? 'it makes all blocks' : `a block needs ${quorumOf(validators)} of them`
  return `${count(validators, 'validator')}: ${needs}, ${faults === 0 ? 'none' : faults} may fail`
}

/** `2 of 3 votes to add 0x…`, for each candidate. */
export const tallyLines = (votes: readonly CastVote[], validators: number): readonly string[] => {
  const needed = votesNeeded(validators)
  const subjects = [...new Set(votes.map(({ recipient, add }) => `${add ? 'add' : 'remove'} ${recipient}`))]
  return subjects.map(subject => {
    const voters = votes.filter(({ recipient, add }) => `${add ? 'add' : 'remove'} ${recipient}` === subject)
    return `${voters.length} of ${needed} votes to ${subject}: ${voters.map(({ voter }) => voter).join(', ')}`
  })
}

/** The state of a vote that the node proposes. */
const proposalState = (
  { validators, votes }: KnownNetwork,
  self: string | undefined,
  address: string,
  add: boolean,
): string => {
  if (validators.some(each => each.address === address) === add)
    return 'it is decided, `validators discard` ends the proposal'
  if (self === undefined) return 'it is no validator, so no block will have its vote'
  return votes.some(vote => vote.voter === self && vote.recipient === address && vote.add === add)
    ? 'its vote counts'
    : 'no block has its vote yet, the next one that it proposes will'
}

/** The validators of a network, and the votes that count. */
type KnownNetwork = {
  readonly validators: readonly (KnownValidator & { readonly self: boolean })[]
  readonly votes: readonly CastVote[]
}

/** The votes that this node proposes, and the state of each. @param proposals the answer to qbft_getPendingVotes */
export const proposalLines = (
  proposals: Readonly<Record<string, unknown>>,
  network: KnownNetwork,
): readonly string[] => {
  const self = network.validators.find(each => each.self)?.address
  return Object.entries(proposals).map(([address, type]) => {
    const add = type === true
    return `this node proposes to ${add ? 'add' : 'remove'} ${address}: ${proposalState(network, self, address, add)}`
  })
}

/** The effect of a decided vote on the quorum, given the validators that are heard now. */
export const effectOf = (
  validators: readonly KnownValidator[],
  address: string,
  add: boolean,
): VoteEffect => {
  const before = validators.length
  const after = before + (add ? 1 : -1)
  const heard = validators.filter(each => each.heard && (add || each.address !== address)).length
  const quorum = quorumOf(after)
  const lines = [
    `now    ${quorumText(before)}`,
    `after  ${quorumText(after)}`,
    `The vote is decided by ${before === 1 ? 'the only validator, which' : `${votesNeeded(before)} of ${before} validators, each of which`} must propose it.`,
  ]
  if (heard >= quorum) return { lines, loss: undefined }
  const loss = add
    ? `${quorum} of ${after} validators would be needed, and ${heard} are heard: unless the node of ${address} runs and is in sync, no block would follow`
    : `${quorum} of ${after} validators would be needed, and ${heard} of those that stay are heard: no block would follow`
  return { lines, loss }
}
