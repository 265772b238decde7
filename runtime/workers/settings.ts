import { fromHex } from '../../core/bytes/hex.ts'
import { API_GROUPS, unknownApiGroups } from '../cli/values/apiGroups.ts'
import type { TrustedBlockOption } from '../read/options.ts'
import type { Verification } from '../read/readHost.ts'
import { upstreamProblem } from '../read/upstream.ts'
import type { WorkerEnvironment } from './environment.ts'

/** The variables of a deployment, checked. */
export type Settings = {
  readonly verification: Verification
  readonly trustedBlock: TrustedBlockOption | undefined
  /** Seconds; 0 for no limit. */
  readonly maxHeadAge: number
  readonly upstream: string | undefined
  readonly apis: readonly string[]
  readonly gasCap: bigint
  readonly minGasPrice: bigint
  readonly corsOrigins: readonly string[]
  readonly timeoutMs: number
}

/** The clock of a Worker stands still while it computes, so that gas alone bounds a call: this takes about 100 ms. */
const GAS_CAP = '20000000'
const TIMEOUT_MS = '10000'

const numberOf = (name: string, text: string): bigint => {
  if (!/^\d{1,18}$/.test(text)) throw new SettingsError(name, `'${text}' is not a number`)
  return BigInt(text)
}

const listOf = (text: string): readonly string[] =>
  text.split(',').flatMap(entry => (entry.trim() === '' ? [] : [entry.trim()]))

const verificationOf = (text: string): Verification => {
  if (text === 'none' || text === 'head' || text === 'state') return text
  throw new SettingsError('VERIFY', `'${text}' is not one of none, head and state`)
}

const trustedBlockOf = (text: string): TrustedBlockOption | undefined => {
  if (text === '') return undefined
  const match = /^(\d{1,15}):0x([0-9a-f]{64})$/.exec(text.toLowerCase())
  if (match === null) throw new SettingsError('TRUSTED_BLOCK', `'${text}' is not <number>:<hash>`)
  return { number: BigInt(match[1] as string), hash: fromHex(match[2] as string) }
}

const upstreamOf = (text: string): string | undefined => {
  if (text === '') return undefined
  const problem = upstreamProblem(text)
  if (problem !== undefined) throw new SettingsError('UPSTREAM', problem)
  return text
}

const apisOf = (text: string): readonly string[] => {
  const apis = listOf(text).map(name => name.toUpperCase())
  const unknown = unknownApiGroups(apis)
  if (unknown.length > 0)
    throw new SettingsError('APIS', `${unknown.join(', ')} is not one of ${API_GROUPS.join(', ')}`)
  return apis
}

const corsOriginsOf = (text: string): readonly string[] => {
  const origins = listOf(text)
  for (const origin of origins)
    try {
      if (origin !== '*') void new RegExp(`^(?:${origin})$`)
    } catch {
      throw new SettingsError('CORS_ORIGINS', `'${origin}' is not a regular expression`)
    }
  return origins
}

/** @throws SettingsError */
export const settingsOf = (env: WorkerEnvironment): Settings => ({
  verification: verificationOf(env.VERIFY ?? 'head'),
  trustedBlock: trustedBlockOf(env.TRUSTED_BLOCK ?? ''),
  maxHeadAge: Number(numberOf('MAX_HEAD_AGE', env.MAX_HEAD_AGE ?? '0')),
  upstream: upstreamOf(env.UPSTREAM ?? ''),
  apis: apisOf(env.APIS ?? 'ETH,NET,WEB3,QBFT'),
  gasCap: numberOf('GAS_CAP', env.GAS_CAP ?? GAS_CAP),
  minGasPrice: numberOf('MIN_GAS_PRICE', env.MIN_GAS_PRICE ?? '1000'),
  corsOrigins: corsOriginsOf(env.CORS_ORIGINS ?? ''),
  timeoutMs: Number(numberOf('TIMEOUT_MS', env.TIMEOUT_MS ?? TIMEOUT_MS)),
})

/** A variable of the deployment cannot be used. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'
  readonly code = 'SETTINGS'
  constructor(variable: string, reason: string) {
    super(`the variable ${variable} cannot be used: ${reason}; see wrangler.toml`)
  }
}
