import { faultsOf } from './checker/arithmetic.ts'
import { createRandom, type Random } from './random.ts'

export type AttackName =
  | 'equivocator'
  | 'silent'
  | 'withholder'
  | 'liar'
  | 'replayer'
  | 'flooder'
  | 'seal-spoiler'
  | 'dawdler'
  | 'twins'
  | 'forerunner'

export const ATTACK_NAMES: readonly AttackName[] = [
  'equivocator',
  'silent',
  'withholder',
  'liar',
  'replayer',
  'flooder',
  'seal-spoiler',
  'dawdler',
  'twins',
]

/** The share of attackers that are forerunners instead, drawn apart so that seeds found before there were any still decide as they did. */
const FORERUNNERS = 0.1

/** What befalls a network; a seed has some of them, so that each also shows alone and in few. */
export const FAULT_NAMES = [
  'weather',
  'partitions',
  'crashes',
  'clocks',
  'slowness',
  'failures',
  'outages',
] as const
export type FaultName = (typeof FAULT_NAMES)[number]

/** How validators come back without the record of what they signed. */
export const FORGETTING_NAMES = ['record', 'copied', 'wiped'] as const
export type Forgetting = (typeof FORGETTING_NAMES)[number]

/** What the seed decides before anything begins. */
export type Settings = {
  readonly seed: number
  /** Of the genesis block. */
  readonly validators: number
  /** Further nodes that may be voted in. */
  readonly spares: number
  /** One for each validator that is Byzantine: the last ones of the genesis block, in the order of node numbers. */
  readonly attacks: readonly AttackName[]
  readonly faults: ReadonlySet<FaultName>
  /** Of blocks that consensus commits and that are recorded: before they are the head, or while they are. */
  readonly durable: 'now' | 'next'
  /** Undefined where none do, as with every seed by itself. */
  readonly forgetting: Forgetting | undefined
  /** All machines stop at once, again and again. */
  readonly powerCuts: boolean
  /** New ones begin for so long. */
  readonly stormMs: number
  /** When the last of them end: then everything works, and the attackers go on. */
  readonly faultsMs: number
  readonly requestTimeoutMs: number
  readonly requestTimeoutMaxMs: number
  readonly blockPeriodSeconds: number
  /** 0 when off. */
  readonly blockPeriodMs: number
  /** 0 when off. */
  readonly emptyBlockPeriodSeconds: number
  readonly epochLength: number
  /** The validators vote a spare in or one of them out. */
  readonly votes: boolean
  readonly duplicateMessagesMax: number
  readonly futureMessagesMax: number
  /** Both dialects in one network. */
  readonly mixedDialects: boolean
  /** Beyond which no clock is wrong once the faults end. */
  readonly skewMs: number
  /** Real signatures instead of the simulation's. */
  readonly realCrypto: boolean
}

export const VALIDATORS_MIN = 4
export const VALIDATORS_MAX = 10

/** One seed in so many signs with the real engine. */
const REAL_CRYPTO_EVERY = 500

/** The names of the attackers: up to the greatest number that any validator set of the run can bear. */
const attacksOf = (random: Random, bearable: number): readonly AttackName[] => {
  const count = random.chance(0.3) ? 0 : random.between(0, bearable)
  return Array.from({ length: count }, () => random.pick(ATTACK_NAMES))
}

const faultsFor = (random: Random): ReadonlySet<FaultName> => {
  if (random.chance(0.05)) return new Set()
  if (random.chance(0.1)) return new Set(FAULT_NAMES)
  return new Set(FAULT_NAMES.filter(name => random.chance(name === 'outages' ? 0.15 : 0.45)))
}

/** How far round timeouts may grow: the product's default, and more than any run lasts. */
const REQUEST_TIMEOUTS_MAX_MS = [60_000, 600_000]

/** After the faults each block comes within so many base timeouts and milliseconds, whatever came before. */
const BOUND_TIMEOUTS = 4
const BOUND_MS = 10_000

export const boundMsOf = (requestTimeoutMs: number): number => BOUND_TIMEOUTS * requestTimeoutMs + BOUND_MS

export const settingsOf = (seed: number, validators: number | undefined): Settings => {
  const random = createRandom(seed).fork('settings')
  // Of its own, so that seeds found before it was there still decide the rest as they did.
  const durability = createRandom(seed).fork('durability')
  const ahead = createRandom(seed).fork('forerunners')
  const count = random.between(VALIDATORS_MIN, VALIDATORS_MAX)
  const size = validators ?? count
  const votes = random.chance(0.25)
  // One validator may be voted out before a spare is voted in.
  const bearable = faultsOf(votes ? size - 1 : size)
  const faults = faultsFor(random)
  const stormMs = random.between(5_000, 40_000)
  const inMilliseconds = random.chance(0.15)
  const attacks = attacksOf(random, bearable).map(name => (ahead.chance(FORERUNNERS) ? 'forerunner' : name))
  const requestTimeoutMs = random.pick([1_000, 1_000, 2_000, 3_000, 4_000])
  const requestTimeoutMaxMs = random.pick(REQUEST_TIMEOUTS_MAX_MS)
  return {
    seed,
    validators: size,
    spares: votes ? random.between(1, 2) : 0,
    attacks,
    faults,
    durable: durability.chance(0.8) ? 'next' : 'now',
    forgetting: undefined,
    powerCuts: durability.chance(0.25),
    stormMs,
    faultsMs: faults.has('outages') ? stormMs + random.pick([5_000, 60_000, 600_000]) : stormMs,
    requestTimeoutMs,
    requestTimeoutMaxMs,
    blockPeriodSeconds: random.pick([1, 1, 2]),
    blockPeriodMs: inMilliseconds ? random.pick([300, 500, 1_500]) : 0,
    emptyBlockPeriodSeconds: random.chance(0.15) ? random.between(4, 12) : 0,
    epochLength: random.chance(0.5) ? 10 : 30_000,
    votes,
    duplicateMessagesMax: random.pick([100, 100, 1_000, 10]),
    futureMessagesMax: random.pick([1_000, 1_000, 20, 0]),
    mixedDialects: random.chance(0.2),
    skewMs: random.pick([0, 20, 200, 400]),
    realCrypto: seed % REAL_CRYPTO_EVERY === REAL_CRYPTO_EVERY - 1,
  }
}

/**
 * The seed in a network of which one validator, or as many as may be faulty, forget. They take the place of attackers, and of the
 * seed's longest faults, so that there is time for many tries.
 */
export const settingsOfForgetting = (
  seed: number,
  validators: number | undefined,
  forgetting: Forgetting | undefined,
): Settings => {
  const settings = settingsOf(seed, validators)
  if (forgetting === undefined) return settings
  const stormMs = Math.min(settings.stormMs, 12_000)
  return {
    ...settings,
    forgetting,
    attacks: [],
    votes: false,
    spares: 0,
    faults: new Set([...settings.faults].filter(name => name !== 'outages')),
    stormMs,
    faultsMs: stormMs,
    realCrypto: false,
  }
}
