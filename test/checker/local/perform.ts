import { qbftBlockHash } from '../../../core/block/codec/blockHash.ts'
import { decodeMessage } from '../../../core/qbft/codec/message.ts'
import { isQbftCode } from '../../../core/qbft/message.ts'
import { withRound } from '../../../core/qbft/codec/roundOfBlock.ts'
import type { Effect, EffectOf } from '../../../core/qbft/effect.ts'
import type { QbftEnvironment } from '../../../core/qbft/environment.ts'
import type { Input } from '../../../core/qbft/input.ts'
import { type Transition, transition } from '../../../core/qbft/machine.ts'
import { faultInRecord } from '../../simulation/checker/records.ts'
import { faultInSeals } from '../../simulation/checker/seals.ts'
import { INVALID } from '../world/blocks.ts'
import { type Chain, chainOfDigest, lastOf, lengthOf } from '../world/chain.ts'
import type { Message } from '../world/actions.ts'
import type { World } from '../world/world.ts'
import type { Local, Work } from './local.ts'
import { isUnchanged, recordKey } from './stateKey.ts'

export const environmentOf = ({ members }: World, node: number): QbftEnvironment => ({
  address: members.addresses[node] as Uint8Array,
  sign: members.signerOf(node),
  dialect: 'legacy',
  requestTimeoutMs: 1000,
  requestTimeoutMaxMs: 60_000,
  earlyRoundChange: true,
  proposesRoundZero: false,
  // Nothing is a duplicate: a message may come twice, and `seen` stays empty.
  duplicateMessagesMax: 0,
  futureMessagesMax: 1000,
  futureDistanceMax: 10,
})

/** The machine of one validator with its inputs still to come. */
type Run = { local: Local; readonly inputs: Input[] }

/** What one validator may do; counts how often the machine ran. */
export type Machine = {
  readonly world: World
  readonly environment: QbftEnvironment
  onTransition(effects: readonly Effect[]): void
}

const withFault = (local: Local, fault: string | undefined): Local =>
  fault === undefined || local.fault !== undefined ? local : { ...local, fault }

const recorded = ({ world }: Machine, run: Run, { record }: EffectOf<'record'>): void => {
  const { records } = run.local
  const key = recordKey(record, { world })
  const others = records.filter(one => recordKey(one, { world }) !== key)
  run.local = { ...run.local, records: [...others, record] }
}

/** Nobody honest votes for a block before it found that it is valid. */
const faultInVote = ({ verified }: Local, kind: string, digestName: string): string | undefined =>
  (kind === 'prepare' || kind === 'commit') && !verified.has(chainOfDigest(digestName))
    ? `signed a ${kind} of ${digestName}, which it did not verify`
    : undefined

/** Who asked for a later round signs nothing more in an earlier one; one that lost its record cannot know. */
const faultInRound = (
  { scope, actions }: World,
  { sent, node }: Local,
  message: Message,
): string | undefined => {
  if (message.kind === 'round-change' || (scope.records === 'any' && node === scope.victim)) return undefined
  for (const id of sent) {
    const action = actions.all[id]
    if (action?.kind !== 'hear' || action.message.kind !== 'round-change') continue
    const { height, round, name } = action.message
    if (height === message.height && round > message.round && !sent.has(message.id))
      return `signed ${message.name} in a round that it has left: ${name}`
  }
  return undefined
}

const broadcast = ({ world }: Machine, run: Run, { message }: EffectOf<'broadcast'>): void => {
  const { local } = run
  const sent = world.actions.message(message, local.node, local.chain)
  run.local = { ...local, sent: new Set(local.sent).add(sent.id) }
  if (!isQbftCode(message.code)) return
  const fault =
    faultInVote(local, sent.kind, sent.digest) ??
    faultInRound(world, local, sent) ??
    faultInRecord(local.records.at(-1), decodeMessage(message.code, message.data))
  run.local = withFault(run.local, fault)
}

const addWork = ({ world }: Machine, run: Run, work: Work): void => {
  run.local = { ...run.local, works: [...run.local.works, work] }
  if (!world.scope.slow) run.inputs.push(...finished(world, run, work, true))
}

/** Ends a work of the validator, and gives what its machine then hears. */
const finished = (world: World, run: Run, work: Work, isDone: boolean): readonly Input[] => {
  const { local } = run
  const works = local.works.filter(other => other !== work)
  run.local = { ...local, works }
  if (work.kind === 'build') {
    const { sequence, round } = work
    if (!isDone || Number(sequence) !== lengthOf(local.chain) + 1)
      return [{ kind: 'block-built', sequence, round, block: undefined }]
    const coinbase = world.members.addresses[local.node] as Uint8Array
    const block = world.blocks.make(`V${local.node}.${local.life}`, coinbase, local.chain)
    const chain = world.blocks.chainOf(qbftBlockHash(block.header))
    run.local = { ...local, works, verified: new Set(local.verified).add(chain) }
    return [{ kind: 'block-built', sequence, round, block: withRound(block, round) }]
  }
  if (!isDone) return [{ kind: 'block-unverified', hash: work.hash }]
  const chain = world.blocks.chainOf(work.hash)
  const isValid = !lastOf(chain).startsWith(INVALID)
  if (isValid) run.local = { ...local, works, verified: new Set(local.verified).add(chain) }
  return [{ kind: 'block-verified', hash: work.hash, invalid: isValid ? undefined : 'it is not valid' }]
}

/** The validator's chain grows by a block. */
const appended = (world: World, run: Run, chain: Chain): void => {
  const isDone = lengthOf(chain) >= world.scope.heights
  run.local = { ...run.local, chain, isDone, works: [], verified: new Set() }
  if (!isDone) run.inputs.push({ kind: 'head', head: world.headOf(chain) })
}

const imported = ({ world }: Machine, run: Run, { block, hash }: EffectOf<'import-block'>): void => {
  const { local } = run
  const chain = world.blocks.chainOf(hash)
  const fault = local.verified.has(chain) ? undefined : `seals ${chain}, which it did not verify`
  run.local = withFault(local, fault ?? faultInSeals(world.heightOf(local.chain), block))
  appended(world, run, chain)
}

const performed = (machine: Machine, run: Run, effect: Effect): void => {
  const { world } = machine
  switch (effect.kind) {
    case 'record':
      return recorded(machine, run, effect)
    case 'broadcast':
      return broadcast(machine, run, effect)
    case 'start-timer':
      run.local = { ...run.local, timers: new Map(run.local.timers).set(effect.timer.kind, effect.timer) }
      return
    case 'cancel-timer': {
      const timers = new Map(run.local.timers)
      timers.delete(effect.timer)
      run.local = { ...run.local, timers }
      return
    }
    case 'build-block':
      return addWork(machine, run, { ...effect, kind: 'build', name: `a block of round ${effect.round}` })
    case 'verify-block': {
      const name = `verifying ${world.blocks.chainOf(effect.hash)}`
      return addWork(machine, run, { ...effect, kind: 'verify', name })
    }
    case 'import-block':
      return imported(machine, run, effect)
    case 'evidence': {
      const author = world.members.indexOf(effect.evidence.author)
      if (!world.scope.byzantine.includes(author))
        run.local = withFault(run.local, `has evidence against a${author}, which is honest`)
      return
    }
    // Positions and own signatures sent back: the explorer reads them from the states, see explore/positions.ts.
    case 'inform':
    // Sent before, or of another author: both can be heard at any time.
    case 'send':
    case 'relay':
    case 'peer-ahead':
    case 'dropped':
    case 'recall':
    case 'round-started':
      return
    default:
      effect satisfies never
  }
}

/** The transition, or why the machine threw instead: its assertions are rules, too. */
const attempted = ({ environment }: Machine, { state, nowMs }: Local, input: Input): Transition | string => {
  try {
    return transition(environment, state, input, nowMs)
  } catch (error) {
    return `throws: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** Runs the machine until it has no more inputs. The same object when nothing changed that decides the future. */
const runOut = (machine: Machine, start: Local, inputs: readonly Input[]): Local => {
  const run: Run = { local: start, inputs: [...inputs] }
  for (let input = run.inputs.shift(); input !== undefined; input = run.inputs.shift()) {
    if (run.local.isDone) break
    const made = attempted(machine, run.local, input)
    if (typeof made === 'string') return withFault({ ...run.local }, made)
    const { state, effects } = made
    machine.onTransition(effects)
    if (run.local === start && isUnchanged(start.state, state) && effects.every(isSilent)) continue
    run.local = { ...run.local, state }
    for (const effect of effects) performed(machine, run, effect)
  }
  return run.local
}

const SILENT: ReadonlySet<Effect['kind']> = new Set(['dropped', 'relay', 'inform', 'send', 'peer-ahead'])
const isSilent = ({ kind }: Effect): boolean => SILENT.has(kind)

/** What a validator goes through when its machine takes the input. */
export const take = (machine: Machine, local: Local, input: Input): Local => runOut(machine, local, [input])

export const finish = (machine: Machine, local: Local, work: Work, isDone: boolean): Local => {
  const run: Run = { local, inputs: [] }
  const inputs = finished(machine.world, run, work, isDone)
  return runOut(machine, run.local, inputs)
}

export const download = (machine: Machine, local: Local, chain: Chain): Local => {
  const run: Run = { local, inputs: [] }
  appended(machine.world, run, chain)
  return runOut(machine, run.local, run.inputs)
}
