import type { Address } from '../../core/bytes/bytes.ts'
import { toHex } from '../../core/bytes/hex.ts'
import { setBounded } from '../../core/collections/boundedMap.ts'
import { faultsOf } from '../../core/validators/quorum.ts'
import { includesAddress } from '../../core/validators/votes.ts'
import type { Log } from '../logging/log.ts'

/** A peer that refuses this node is dialed again every four seconds: without a further refusal the other node has ended. */
const REFUSAL_MS = 12_000
/**
 * Peers notice within 12 s, over devp2p within 30 s, that a connection has ended without a word. A node that was restarted at
 * once may be refused for so long because of its own last run.
 */
const CONFIRMED_MS = 35_000
/** A peer that dials this node accepts its status before it refuses it: a connection counts after this. */
const ACCEPTED_MS = 2_000
/** Peers that are remembered; more than a network has validators. */
const PEERS_MAX = 256
const CHECK_INTERVAL_MS = 1_000

type Refusal = {
  readonly address: Address
  readonly reason: string
  readonly firstMs: number
  readonly lastMs: number
  /** When the peer accepted this node since; undefined while it has not. */
  readonly acceptedMs?: number
}

/** Knows of another node that runs with the key of this one, by the peers that refuse this node because of it. */
export type KeyInUse = {
  /** A peer refuses this node, because another node with the same key is connected with it. */
  refused(address: Address, reason: string): void
  /** A peer has accepted this node. */
  accepted(address: Address): void
  /** True while this node must not sign. */
  isSeen(): boolean
  /** Says what happened and what to do; undefined while no other node is known for certain. */
  sentence(): string | undefined
  /** Calls the listener when `isSeen` has changed. Returns the function that ends it. */
  onChange(listener: () => void): () => void
  stop(): void
}

type Options = {
  readonly ownAddress: Address
  /** The validators of the next block; undefined where they are not known. */
  readonly validators: () => readonly Address[] | undefined
  /** Number of connected peers. */
  readonly peerCount: () => number
  readonly log: Log
  readonly nowMs?: () => number
}

type State = {
  readonly refusals: Map<string, Refusal>
  readonly listeners: Set<() => void>
  isSeen: boolean
  /** When more than F validators last refused this node; undefined before. */
  seenAtMs: number | undefined
  isLogged: boolean
  /** Runs while a refusal may still be withdrawn. */
  timer: ReturnType<typeof setInterval> | undefined
}

const sentenceOf = (refusals: readonly Refusal[]): string => {
  const [first] = refusals
  const count = refusals.length === 1 ? 'a peer refuses' : `${refusals.length} peers refuse`
  const example = first === undefined ? '' : ` (${toHex(first.address)}: ${first.reason})`
  return `Another node runs with the key of this node, so ${count} this one${example}: stop one of the two, and give each node a key of its own; this one signs nothing while a validator sees the other`
}

/** Refusals that are not withdrawn; drops the others. */
const current = ({ refusals }: State, nowMs: number): readonly Refusal[] => {
  for (const [key, { lastMs, acceptedMs = Infinity }] of refusals)
    if (nowMs - lastMs > REFUSAL_MS || nowMs < lastMs || nowMs - acceptedMs >= ACCEPTED_MS)
      refusals.delete(key)
  return [...refusals.values()]
}

/** Those of validators. */
const ofValidators = (refusals: readonly Refusal[], validators: readonly Address[]): readonly Refusal[] =>
  refusals.filter(({ address }) => includesAddress(validators, address))

/** One of them is honest. */
const areTrusted = (refusals: readonly Refusal[], validators: readonly Address[]): boolean =>
  ofValidators(refusals, validators).length > faultsOf(validators.length)

/**
 * Refusals of more validators than may lie, that last. Any peer's count for a node that is no validator and has no other peer:
 * it may know none of the validators. None where another node is not known for certain.
 */
const confirmed = (
  { isSeen, isLogged }: State,
  { ownAddress, validators, peerCount }: Options,
  refusals: readonly Refusal[],
): readonly Refusal[] => {
  const known = validators() ?? []
  const lasting = refusals.filter(({ firstMs, lastMs }) => lastMs - firstMs >= CONFIRMED_MS)
  if (lasting.length === 0 || known.length === 0) return []
  if ((isSeen && isLogged) || areTrusted(lasting, known)) return ofValidators(refusals, known)
  return !includesAddress(known, ownAddress) && peerCount() === 0 ? refusals : []
}

/**
 * More than F validators refuse this node: one of them is honest. Once another node was seen, its end counts when nobody sees it
 * any more, or when for a while no more than F do: a single validator that refuses falsely must not keep one that was restarted
 * from signing.
 */
const isSeenBy = (
  { isSeen, seenAtMs = -Infinity }: State,
  refusals: readonly Refusal[],
  validators: readonly Address[],
  nowMs: number,
): boolean => {
  if (areTrusted(refusals, validators)) return true
  return isSeen && ofValidators(refusals, validators).length > 0 && Math.abs(nowMs - seenAtMs) < CONFIRMED_MS
}

const update = (state: State, options: Options): void => {
  const { validators, log, nowMs = Date.now } = options
  const now = nowMs()
  const refusals = current(state, now)
  const known = validators()
  if (known !== undefined && areTrusted(refusals, known)) state.seenAtMs = now
  const isSeen =
    known === undefined ? state.isSeen && refusals.length > 0 : isSeenBy(state, refusals, known, now)
  const certain = confirmed(state, options, refusals)
  if (certain.length > 0 && !state.isLogged) {
    state.isLogged = true
    log.error('{explanation}', { explanation: sentenceOf(certain) })
  } else if (certain.length === 0 && !isSeen && state.isLogged) {
    state.isLogged = false
    const rest = refusals.length === 0 ? 'No peer sees' : 'Too few peers to believe them see'
    log.info('{rest} another node with the key of this node any more', { rest })
  }
  if (refusals.length === 0 && !isSeen) endChecks(state)
  if (isSeen === state.isSeen) return
  state.isSeen = isSeen
  for (const listener of state.listeners) listener()
}

const endChecks = (state: State): void => {
  clearInterval(state.timer)
  state.timer = undefined
}

/** Peers that are no validators must not push out those that are. @returns false where there is no room for this one */
const makeRoom = ({ refusals }: State, validators: readonly Address[], address: Address): boolean => {
  if (refusals.size < PEERS_MAX) return true
  if (!includesAddress(validators, address)) return false
  const other = [...refusals].find(([, refusal]) => !includesAddress(validators, refusal.address))
  if (other !== undefined) refusals.delete(other[0])
  return true
}

/** Watches for another node with the key of this one. */
export const createKeyInUse = (options: Options): KeyInUse => {
  const { nowMs = Date.now } = options
  const state: State = {
    refusals: new Map(),
    listeners: new Set(),
    isSeen: false,
    seenAtMs: undefined,
    isLogged: false,
    timer: undefined,
  }
  const beginChecks = (): void => {
    if (state.timer !== undefined) return
    state.timer = setInterval(() => update(state, options), CHECK_INTERVAL_MS)
    state.timer.unref()
  }
  return {
    refused: (address, reason) => {
      const key = toHex(address)
      const before = state.refusals.get(key)
      const now = nowMs()
      if (before === undefined && !makeRoom(state, options.validators() ?? [], address)) return
      setBounded(
        state.refusals,
        key,
        { address, reason, firstMs: before?.firstMs ?? now, lastMs: now },
        PEERS_MAX,
      )
      beginChecks()
      update(state, options)
    },
    accepted: address => {
      const key = toHex(address)
      const refusal = state.refusals.get(key)
      if (refusal !== undefined) state.refusals.set(key, { ...refusal, acceptedMs: nowMs() })
    },
    isSeen: () => state.isSeen,
    sentence: () => {
      const certain = confirmed(state, options, current(state, nowMs()))
      return certain.length > 0 ? sentenceOf(certain) : undefined
    },
    onChange: listener => {
      state.listeners.add(listener)
      return () => state.listeners.delete(listener)
    },
    stop: () => endChecks(state),
  }
}
