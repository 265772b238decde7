import { isObject } from '../../core/json.ts'
import type { Check } from './checks.ts'
import { CLOCK_APART_MS } from './causes.ts'
import { listed, shortAddress } from './texts.ts'

/** The part of a qbft_getStatus that is checked. */
export type Status = {
  readonly status: string
  readonly explanation: string | null
  readonly blockNumber: string
  readonly round: number | null
  readonly isValidator: boolean
  readonly quorum: number
  readonly heard: number
  readonly client: string
  readonly validators: readonly {
    readonly address: string
    readonly self: boolean
    readonly connected: boolean
    readonly heard: boolean
    readonly client: string | null
    readonly clockOffsetMs: number | null
  }[]
  /** Absent in the status of an earlier release. */
  readonly proposalGasMax?: string | null
  /** About planned transitions; absent in the status of an earlier release. */
  readonly warnings?: readonly string[]
}

type Test = (value: unknown) => boolean

const isText: Test = value => typeof value === 'string'
const isFlag: Test = value => typeof value === 'boolean'
const isCount: Test = value => Number.isSafeInteger(value)
const orNull =
  (test: Test): Test =>
  value =>
    value === null || test(value)

const has = (value: unknown, tests: Readonly<Record<string, Test>>): boolean =>
  isObject(value) && Object.entries(tests).every(([name, test]) => test(value[name]))

const isQuantity: Test = value => typeof value === 'string' && /^0x[0-9a-f]{1,16}$/.test(value)

const isValidator: Test = value =>
  has(value, {
    address: isText,
    self: isFlag,
    connected: isFlag,
    heard: isFlag,
    client: orNull(isText),
    clockOffsetMs: orNull(offset => typeof offset === 'number'),
  })

const STATUS: Readonly<Record<Exclude<keyof Status, 'warnings' | 'proposalGasMax'>, Test>> = {
  status: isText,
  explanation: orNull(isText),
  blockNumber: isQuantity,
  round: orNull(isCount),
  isValidator: isFlag,
  quorum: isCount,
  heard: isCount,
  client: isText,
  validators: value => Array.isArray(value) && value.every(isValidator),
}

/** The status in an answer; undefined for one of another form. */
export const readStatus = (value: unknown): Status | undefined =>
  has(value, STATUS) ? (value as Status) : undefined

const checkBlocks = ({
  status,
  explanation,
  blockNumber,
  heard,
  quorum,
  validators,
  isValidator,
}: Status): Check => {
  const counts =
    isValidator && validators.length > 1
      ? `; ${heard} of ${validators.length} validators are heard, ${quorum} are needed`
      : ''
  const well = `blocks are decided, the last one is ${Number(blockNumber)}${counts}`
  // Blocks cannot continue without a quorum, even before the network counts as stalled.
  const hasQuorum = !isValidator || heard >= quorum
  const passed = status === 'well' && hasQuorum
  return { name: 'blocks', passed, needsCare: passed && explanation !== null, text: explanation ?? well }
}

/** Validators that are not heard, although the others suffice for blocks. */
const checkSilent = ({ validators, heard, quorum, isValidator }: Status): readonly Check[] => {
  const silent = validators.filter(each => !each.heard)
  if (!isValidator || silent.length === 0 || heard < quorum) return []
  const spare = heard - quorum
  const meaning =
    spare === 0 ? 'the next failure stops the chain' : `${spare} more may fail before the chain stops`
  const addresses = listed(silent.map(({ address }) => address))
  return [{ name: 'validators', passed: true, needsCare: true, text: `not heard: ${addresses}; ${meaning}` }]
}

const checkClocks = ({ validators }: Status): Check => {
  const apart = validators.filter(({ clockOffsetMs }) => Math.abs(clockOffsetMs ?? 0) > CLOCK_APART_MS)
  const others = validators.filter(({ self, connected }) => !self && connected)
  const known = others.filter(({ clockOffsetMs }) => clockOffsetMs !== null).length
  const unknown =
    others.length === 0
      ? 'no other validator is connected whose clock could differ'
      : 'the clocks of the other validators are not known: devp2p does not tell them'
  return {
    name: 'clock',
    passed: apart.length === 0,
    text:
      apart.length === 0
        ? known === 0
          ? unknown
          : `the clock agrees with ${known === 1 ? 'that of the other validator' : `those of ${known} validators`}`
        : `${listed(apart.map(({ address, clockOffsetMs }) => `${shortAddress(address)} is ${(Math.abs(clockOffsetMs ?? 0) / 1000).toFixed(1)} s ${(clockOffsetMs ?? 0) > 0 ? 'ahead' : 'behind'}`))}: synchronize the clocks (NTP)`,
  }
}

/** `v1.2.0` of `quorate/v1.2.0/linux-x64/bun-1.4.5`, with or without a name after the first part. */
const versionOf = (client: string): string => client.split('/').find(part => /^v\d/.test(part)) ?? client

/** `besu` of `besu/v26.8.1/linux-x86_64/openjdk-java-25`. */
const softwareOf = (client: string): string => client.split('/')[0]?.toLowerCase() ?? ''

const checkVersions = ({ client, validators }: Status): Check => {
  const clients = [client, ...validators.flatMap(each => each.client ?? [])]
  const isOneSoftware = new Set(clients.map(softwareOf)).size === 1
  const versions = new Set(
    clients.map(each => (isOneSoftware ? versionOf(each) : `${softwareOf(each)} ${versionOf(each)}`)),
  )
  const shown = [...versions].sort().join(', ')
  const differing = isOneSoftware ? 'different versions run' : 'different clients run'
  return {
    name: 'versions',
    // While nodes are upgraded one after the other they differ.
    passed: true,
    text: versions.size === 1 ? `all that are connected run ${shown}` : `${differing}: ${shown}`,
  }
}

/** Smaller blocks are a remedy of the node itself, and show that rounds end without a block. */
const checkGas = ({ proposalGasMax }: Status): readonly Check[] =>
  isQuantity(proposalGasMax)
    ? [
        {
          name: 'gas',
          passed: true,
          needsCare: true,
          text: `after rounds without a block this validator limits its blocks to ${BigInt(String(proposalGasMax))} gas, until rounds end early again: see the load of the machines and their connections`,
        },
      ]
    : []

const checkPlans = ({ warnings }: Status): readonly Check[] =>
  (Array.isArray(warnings) ? warnings.filter(isText) : []).map(text => ({
    name: 'transitions',
    passed: true,
    needsCare: true,
    text,
  }))

/** Checks derived from the status of a node. */
export const checksOf = (status: Status): readonly Check[] => [
  checkBlocks(status),
  ...checkSilent(status),
  checkClocks(status),
  checkVersions(status),
  ...checkGas(status),
  ...checkPlans(status),
]

/** Whether the other validators keep their quorum without this node. */
export const checkRestart = ({ isValidator, quorum, validators }: Status): Check => {
  const others = validators.filter(({ self, connected, heard }) => !self && connected && heard).length
  if (!isValidator)
    return { name: 'restart', passed: true, text: 'this node is not a validator: blocks continue without it' }
  return {
    name: 'restart',
    passed: others >= quorum,
    text:
      others >= quorum
        ? `the network can do without this node: ${others} other validators are heard, ${quorum} are needed`
        : `the network cannot do without this node now: ${others} other validators are heard, ${quorum} are needed`,
  }
}
