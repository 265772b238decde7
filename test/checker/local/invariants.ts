import type { QbftState } from '../../../core/qbft/state.ts'
import {
  faultInCertificate,
  faultInProposal,
  faultInRoundChange,
} from '../../simulation/checker/justification.ts'
import type { Message } from '../world/actions.ts'
import type { World } from '../world/world.ts'
import type { Local } from './local.ts'

const by = (messages: readonly Message[], kind: Message['kind']): readonly Message[] =>
  messages.filter(message => message.kind === kind)

/** A validator signs one proposal, one prepare and one commit of a round, over all its lives. */
const signedTwice = (sent: readonly Message[]): string | undefined => {
  const first = new Map<string, Message>()
  for (const message of [...by(sent, 'proposal'), ...by(sent, 'prepare'), ...by(sent, 'commit')]) {
    const step = `${message.kind} ${message.height}/${message.round}`
    const before = first.get(step)
    if (before === undefined) first.set(step, message)
    else if (before.digest !== message.digest) return `signed twice: ${before.name}, and ${message.name}`
  }
  return undefined
}

/** A commit proves a lock, which every round change to a later round must claim, or a later one. */
const lockForgotten = (sent: readonly Message[]): string | undefined => {
  for (const commit of by(sent, 'commit'))
    for (const change of by(sent, 'round-change')) {
      if (change.height !== commit.height || change.round <= commit.round) continue
      const [digest, round] = change.prepared.split(':')
      const claimed = change.prepared === 'none' ? -1 : Number(round)
      if (claimed < commit.round || (claimed === commit.round && digest !== commit.digest))
        return `forgot its lock: ${commit.name}, and ${change.name}`
    }
  return undefined
}

/** Every proposal and round change that leaves an honest validator is proven, and every commit sealed. */
const sentUnproven = (sent: readonly Message[]): string | undefined => {
  const unproven = [...by(sent, 'proposal'), ...by(sent, 'commit'), ...by(sent, 'round-change')].find(
    ({ name }) => !name.endsWith(' ok'),
  )
  return unproven === undefined ? undefined : `sent what nothing proves: ${unproven.name}`
}

/** What the validator keeps is proven. */
const unproven = (world: World, { chain }: Local, { height }: QbftState): string | undefined => {
  if (height === undefined) return undefined
  const at = world.heightOf(chain)
  const { certificate, round } = height
  const inCertificate = certificate === undefined ? undefined : faultInCertificate(at, certificate)
  if (inCertificate !== undefined) return `keeps a certificate that proves nothing: ${inCertificate}`
  for (const change of height.roundChanges.values()) {
    const fault = faultInRoundChange(at, change)
    if (fault !== undefined) return `accepted a round change that nothing proves: ${fault}`
  }
  for (const candidate of [round?.proposal, round?.candidate]) {
    const fault = candidate === undefined ? undefined : faultInProposal(at, candidate.message)
    if (fault !== undefined) return `accepted a proposal without justification: ${fault}`
  }
  return undefined
}

/** The first safety rule that this validator alone broke. */
export const faultIn = (world: World, local: Local): string | undefined => {
  const { scope, actions } = world
  const sent = [...local.sent].flatMap(id => {
    const action = actions.all[id]
    return action?.kind === 'hear' ? [action.message] : []
  })
  const mayForget = scope.records === 'any' && scope.crashes > 0 && local.node === scope.victim
  return (
    local.fault ??
    signedTwice(sent) ??
    // One that lost its record cannot know its lock, and counts among the faulty ones for that.
    (mayForget ? undefined : lockForgotten(sent)) ??
    sentUnproven(sent) ??
    (local.isDone ? undefined : unproven(world, local, local.state))
  )
}
