import { parseArgs } from 'node:util'

/** The bounds of an exploration. Everything that may happen within them is explored. */
export type Scope = {
  readonly validators: number
  /** Heights to decide; a validator stops after the last one. */
  readonly heights: number
  /** Rounds of a height, from round 0 on. A step to a later round is not taken. */
  readonly rounds: number
  /** Valid blocks that the Byzantine members can propose. */
  readonly values: number
  /** Indexes of the Byzantine members; index 0 proposes round 0 of height 1, index 1 its round 1. */
  readonly byzantine: readonly number[]
  /** Times that the victim, an honest validator, crashes and restarts. */
  readonly crashes: number
  readonly victim: number
  /** The restart record after a crash: the last one, or also each earlier one and none. */
  readonly records: 'last' | 'any'
  /** Deliver commits. Without, a block counts as decided once a quorum can have signed it. */
  readonly commits: boolean
  /** Deliver votes before their proposal, too. */
  readonly early: boolean
  /** Building and verifying a block take a step of their own, and may fail. */
  readonly slow: boolean
  /** The Byzantine members also use a block that is not valid, blocks of round 0 in later rounds, and a far round. */
  readonly odd: boolean
  /** After height 1 the last validator leaves, or joins. */
  readonly change: 'none' | 'leaves' | 'joins'
}

export const DEFAULT_SCOPE: Scope = {
  validators: 4,
  heights: 1,
  rounds: 2,
  values: 2,
  byzantine: [],
  crashes: 0,
  victim: 1,
  records: 'last',
  commits: false,
  early: false,
  slow: false,
  odd: false,
  change: 'none',
}

/** More validators than this are outside what random walks cover in useful time. */
const VALIDATORS_MAX = 13

export const SCOPE_OPTIONS = {
  validators: { type: 'string' },
  heights: { type: 'string' },
  rounds: { type: 'string' },
  values: { type: 'string' },
  byzantine: { type: 'string' },
  crashes: { type: 'string' },
  victim: { type: 'string' },
  records: { type: 'string' },
  commits: { type: 'boolean' },
  early: { type: 'boolean' },
  slow: { type: 'boolean' },
  odd: { type: 'boolean' },
  change: { type: 'string' },
} as const

type Texts = { readonly [Name in keyof Scope]?: string | boolean | undefined }

const numberOf = (name: string, text: string, min: number, max: number): number => {
  const number = Number(text)
  if (!Number.isInteger(number) || number < min || number > max)
    throw new ScopeError(`--${name} is a number from ${min} to ${max}, not '${text}'`)
  return number
}

const oneOf = <Value extends string>(name: string, text: string, values: readonly Value[]): Value => {
  const found = values.find(value => value === text)
  if (found === undefined) throw new ScopeError(`--${name} is one of ${values.join(', ')}, not '${text}'`)
  return found
}

/** @throws ScopeError */
export const scopeOf = (texts: Texts): Scope => {
  const text = (name: keyof Scope): string => String(texts[name] ?? DEFAULT_SCOPE[name])
  const flag = (name: keyof Scope): boolean => texts[name] === true
  const validators = numberOf('validators', text('validators'), 1, VALIDATORS_MAX)
  const byzantine = text('byzantine')
    .split(',')
    .filter(part => part !== '')
    .map(part => numberOf('byzantine', part, 0, validators - 1))
  const victim = numberOf('victim', text('victim'), 0, validators - 1)
  const crashes = numberOf('crashes', text('crashes'), 0, 9)
  if (crashes > 0 && byzantine.includes(victim))
    throw new ScopeError(`--victim=${victim} is Byzantine; only an honest validator crashes`)
  return {
    validators,
    heights: numberOf('heights', text('heights'), 1, 9),
    rounds: numberOf('rounds', text('rounds'), 1, 9),
    values: numberOf('values', text('values'), 1, 4),
    byzantine,
    crashes,
    victim,
    records: oneOf('records', text('records'), ['last', 'any']),
    commits: flag('commits'),
    early: flag('early'),
    slow: flag('slow'),
    odd: flag('odd'),
    change: oneOf('change', text('change'), ['none', 'leaves', 'joins']),
  }
}

/** The options that give this scope, without those of the default. */
export const scopeText = (scope: Scope): string =>
  (Object.keys(DEFAULT_SCOPE) as (keyof Scope)[])
    .filter(name => String(scope[name]) !== String(DEFAULT_SCOPE[name]))
    .map(name => (scope[name] === true ? `--${name}` : `--${name}=${String(scope[name])}`))
    .join(' ')

/** @throws ScopeError */
export const parseScope = (text: string): Scope => {
  const args = text.split(' ').filter(part => part !== '')
  return scopeOf(parseArgs({ args, options: SCOPE_OPTIONS }).values)
}

/** The bounds of an exploration cannot be read; the message says which option to correct. */
export class ScopeError extends Error {
  override readonly name = 'ScopeError'
  readonly code = 'INVALID_SCOPE'
}
