import { isObject } from '../../../core/json.ts'
import type { CommandContext } from '../../cli/command.ts'
import { CommandError, UsageError } from '../../cli/errors.ts'
import { type NodeApi, callNode } from '../../doctor/callNode.ts'
import { readToken } from '../../doctor/readToken.ts'
import {
  type CastVote,
  count,
  effectOf,
  type KnownValidator,
  proposalLines,
  quorumText,
  tallyLines,
} from '../../setup/voteEffect.ts'
import type { NodeClientOptions } from '../sharedOptions.ts'
import type { ProposeOptions } from './validatorsCommands.ts'
import { shownUrl } from '../../text/shownUrl.ts'

type Network = {
  readonly validators: readonly (KnownValidator & { readonly self: boolean })[]
  readonly votes: readonly CastVote[]
}

const isValidator = (value: unknown): value is Network['validators'][number] =>
  isObject(value) && typeof value['address'] === 'string' && typeof value['heard'] === 'boolean'

const isCastVote = (value: unknown): value is CastVote =>
  isObject(value) && typeof value['voter'] === 'string' && typeof value['recipient'] === 'string'

const nodeApiOf = ({ options }: Pick<CommandContext<NodeClientOptions>, 'options'>): NodeApi => ({
  url: options.url,
  token: readToken(options.tokenFile),
})

const networkOf = async (api: NodeApi): Promise<Network> => {
  const status = await callNode(api, 'qbft_getStatus')
  const validators = isObject(status) ? status['validators'] : undefined
  const votes = isObject(status) ? status['votes'] : undefined
  if (!Array.isArray(validators) || !validators.every(isValidator) || !Array.isArray(votes))
    throw new CommandError(
      'NO_ANSWER',
      `The node at ${shownUrl(api.url)} answers qbft_getStatus in an unknown form: is it an earlier release?`,
    )
  return { validators, votes: votes.filter(isCastVote) }
}

const addressIn = ({ words }: Pick<CommandContext, 'words'>): string => {
  const [address = '', ...more] = words
  if (more.length > 0 || !/^0x[0-9a-f]{40}$/i.test(address))
    throw new UsageError('INVALID_COMMAND', 'Give the address of one validator: 0x and 40 hex digits')
  return address.toLowerCase()
}

/** The votes that the node proposes; none where a contract names the validators. */
const proposalsOf = async (api: NodeApi): Promise<Readonly<Record<string, unknown>>> => {
  try {
    const pending = await callNode(api, 'qbft_getPendingVotes')
    return isObject(pending) ? pending : {}
  } catch (error) {
    if (error instanceof CommandError && error.code === 'NOT_ENABLED') return {}
    throw error
  }
}

/** Lists the validators, whether they are heard, the votes that count, and those that this node proposes. */
export const listValidators = async (context: CommandContext<NodeClientOptions>): Promise<number> => {
  const { terminal } = context
  const api = nodeApiOf(context)
  const { validators, votes } = await networkOf(api)
  terminal.out(quorumText(validators.length))
  for (const { address, heard, self } of validators)
    terminal.out(`${address}  ${heard ? 'heard' : 'SILENT'}${self ? ', this node' : ''}`)
  const lines = tallyLines(votes, validators.length)
  for (const line of lines.length === 0 ? ['no votes'] : lines) terminal.out(line)
  for (const line of proposalLines(await proposalsOf(api), { validators, votes })) terminal.out(line)
  return 0
}

/** Votes to add or remove a validator. @throws CommandError before a change that would end the quorum, unless it is forced */
export const proposeValidator = async (context: CommandContext<ProposeOptions>): Promise<number> => {
  const { options, terminal } = context
  const address = addressIn(context)
  const api = nodeApiOf(context)
  const add = !options.remove
  const { validators, votes } = await networkOf(api)
  if (!validators.some(({ self }) => self))
    throw new CommandError(
      'INPUT',
      `The node at ${shownUrl(api.url)} is not a validator, so its votes do not count: give the URL of one with --url`,
    )
  if (validators.some(each => each.address === address) === add)
    throw new CommandError('INPUT', `${address} is ${add ? 'a validator already' : 'not a validator'}`)
  const { lines, loss } = effectOf(validators, address, add)
  for (const line of lines) terminal.out(line)
  if (loss !== undefined && !options.force)
    throw new CommandError('INPUT', `${loss}. Nothing was proposed; --force proposes it anyway`)
  if (loss !== undefined) terminal.out(`WARNING: ${loss}`)
  await callNode(api, 'qbft_proposeValidatorVote', [address, add])
  const counted = votes.filter(vote => vote.recipient === address && vote.add === add).length
  terminal.out(
    `Proposed: this node votes to ${add ? 'add' : 'remove'} ${address} in each block that it proposes; ${count(counted, 'vote')} counted before`,
  )
  return 0
}

/** Withdraws the vote of the node. */
export const discardVote = async (context: CommandContext<NodeClientOptions>): Promise<number> => {
  const address = addressIn(context)
  const api = nodeApiOf(context)
  const pending = await callNode(api, 'qbft_getPendingVotes')
  if (isObject(pending) && !(address in pending)) {
    context.terminal.out(`Nothing to discard: this node proposes no vote on ${address}`)
    return 0
  }
  await callNode(api, 'qbft_discardValidatorVote', [address])
  context.terminal.out(
    `Discarded: this node no longer votes on ${address}; its votes in blocks count until the next epoch`,
  )
  return 0
}
