import { errorText } from '../../core/text/errorText.ts'
import { type Enode, formatEnode } from '../transport/enode.ts'
import { idOf } from '../transport/identity.ts'
import type { Log } from '../log.ts'

/** Wait after the first failed dial; it grows by BACKOFF_GROWTH each time, up to BACKOFF_MAX_MS and its jitter. */
const BACKOFF_MIN_MS = 300
const BACKOFF_MAX_MS = 4000
const BACKOFF_GROWTH = 1.6
/** Random part of a wait, so that nodes that lost each other do not redial in step. */
const JITTER = 0.25
/** Wait after a refusal. */
const REFUSED_BACKOFF_MS = 30_000
/** Wait after a refusal because another node with the same key is connected: it may have ended. */
const KEY_IN_USE_BACKOFF_MS = 4_000
/**
 * Two nodes that learn of each other at the same time need only one connection: the one with the higher key waits this long
 * for the dial of the other.
 */
const HIGHER_KEY_DELAY_MS = 250
/** Consecutive failures after which other nodes are dialed, too, although a bootnode comes first: it may be away for good. */
const BOOTNODE_FAILURES_MAX = 3
/** Learned nodes; configured nodes do not count. */
const LEARNED_MAX = 256
/** Consecutive failures after which a learned node is forgotten, unless it is a validator; it can be learned again. */
const LEARNED_FAILURES_MAX = 6
/** Addresses of one node: several sources may name different ones for the same key. */
const ADDRESSES_MAX = 4

export type Kind = 'static' | 'bootnode' | 'learned'

type Target = {
  readonly id: string
  readonly publicKey: Uint8Array
  kind: Kind
  /** Also where it is a static node. */
  isBootnode: boolean
  /** The next to try comes first. */
  readonly addresses: Enode[]
  failures: number
  /** The next dial is due `waitMs` after this. */
  waitFromMs: number
  waitMs: number
  dialing: boolean
  /** By enode URL, the reason of the last failure that was logged: several addresses fail for one reason each, again and again. */
  readonly loggedReasons: Map<string, string>
}

export type DialerOptions = {
  readonly dial: (enode: Enode) => Promise<void>
  /** True for a node that is connected or in a handshake. */
  readonly isConnected: (id: string) => boolean
  readonly isBanned: (id: string) => boolean
  readonly refuses: (publicKey: Uint8Array, host: string, port: number) => string | undefined
  /** Validators are dialed until they are connected: consensus needs them. */
  readonly isValidator: (publicKey: Uint8Array) => boolean
  /** True if the key is lower than that of this node. */
  readonly isLower: (publicKey: Uint8Array) => boolean
  /** Dials bootnodes alone until a node is connected, or none of them can be reached. */
  readonly bootnodesFirst?: boolean | undefined
  /** Number of further peers that the node accepts. */
  readonly freeSlots: () => number
  readonly dialsMax: number
  /** A dial failed for another reason than the last one at this address. */
  readonly onFailed?: (enode: string, reason: string) => void
  readonly nowMs: () => number
  readonly log: Log
}

/** How the last connection with a node ended. */
export type End = {
  readonly reason: string
  /** True if the statuses had been exchanged. */
  readonly wasEstablished: boolean
  /** True if one side refused the other. */
  readonly refused: boolean
  /** True if it was refused because another node with the same key is connected. */
  readonly keyInUse?: boolean
}

export type Dialer = {
  /** Returns false if the node was of this kind before. */
  add(enode: Enode, kind: Kind): boolean
  /** Returns false if the node was not a static one. */
  removeStatic(id: string): boolean
  /** Dials the node no more until it is added again. */
  forget(id: string): void
  isStatic(id: string): boolean
  /** Dials all nodes that are due. */
  tick(): void
  onConnected(id: string): void
  onEnded(id: string, end: End): void
}

/** The wait in milliseconds after this many consecutive failures. */
const backoffMs = (failures: number): number => {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1))
  const base = Math.min(BACKOFF_MAX_MS, BACKOFF_MIN_MS * BACKOFF_GROWTH ** (failures - 1))
  return Math.round(base * (1 + JITTER * (random / 0x1_0000_0000)))
}

type State = {
  readonly options: DialerOptions
  /** By id, in the order in which they were added. */
  readonly targets: Map<string, Target>
  dialing: number
  /** A node was connected since the start. */
  hasMetAnother: boolean
}

const dialAfter = ({ options }: State, target: Target, waitMs: number): void => {
  target.waitFromMs = options.nowMs()
  target.waitMs = waitMs
}

/** A dial is also due when the clock was set back. */
const isDue = ({ waitFromMs, waitMs }: Target, nowMs: number): boolean =>
  nowMs >= waitFromMs + waitMs || nowMs < waitFromMs

const isEvictable = ({ options }: State, { kind, publicKey }: Target): boolean =>
  kind === 'learned' && !options.isValidator(publicKey)

/** Undefined for an end without a refusal. */
const refusedBackoffMs = ({ refused, keyInUse }: Pick<End, 'refused' | 'keyInUse'>): number | undefined => {
  if (!refused) return undefined
  return keyInUse === true ? KEY_IN_USE_BACKOFF_MS : REFUSED_BACKOFF_MS
}

const onFailed = (state: State, target: Target, reason: string, waitMs?: number): void => {
  target.failures++
  dialAfter(state, target, waitMs ?? backoffMs(target.failures))
  const [first] = target.addresses
  const enode = first === undefined ? undefined : formatEnode(first)
  if (enode !== undefined && target.loggedReasons.get(enode) !== reason) {
    target.loggedReasons.set(enode, reason)
    state.options.onFailed?.(enode, reason)
    if (target.kind !== 'learned')
      state.options.log.info('Cannot connect to {enode} yet: {reason}', { enode, reason })
  }
  if (target.addresses.length > 1) target.addresses.push(target.addresses.shift() as Enode)
  if (target.failures >= LEARNED_FAILURES_MAX && isEvictable(state, target)) state.targets.delete(target.id)
}

const dial = async (state: State, target: Target, enode: Enode): Promise<void> => {
  target.dialing = true
  state.dialing++
  try {
    await state.options.dial(enode)
  } catch (cause) {
    onFailed(state, target, errorText(cause))
  } finally {
    target.dialing = false
    state.dialing--
  }
}

/** Forgets the learned node with the most failures if there are too many. Returns false if there is none to forget. */
const evictLearned = (state: State): boolean => {
  const { options, targets } = state
  const learned = [...targets.values()].filter(({ kind }) => kind === 'learned')
  if (learned.length < LEARNED_MAX) return true
  const worst = learned
    .filter(target => target.failures > 0 && isEvictable(state, target) && !options.isConnected(target.id))
    .sort((a, b) => b.failures - a.failures)[0]
  return worst !== undefined && targets.delete(worst.id)
}

const addAddress = ({ addresses, loggedReasons }: Target, enode: Enode): void => {
  if (addresses.some(({ host, port }) => host === enode.host && port === enode.port)) return
  addresses.unshift(enode)
  if (addresses.length > ADDRESSES_MAX) loggedReasons.delete(formatEnode(addresses.pop() as Enode))
}

const add = (state: State, enode: Enode, kind: Kind): boolean => {
  const { options, targets } = state
  const { publicKey } = enode
  const id = idOf(publicKey)
  const known = targets.get(id)
  if (known === undefined) {
    if (kind === 'learned' && !evictLearned(state)) return false
    targets.set(id, {
      id,
      publicKey,
      kind,
      isBootnode: kind === 'bootnode',
      addresses: [enode],
      failures: 0,
      waitFromMs: options.nowMs(),
      waitMs: kind !== 'bootnode' && options.isLower(publicKey) ? HIGHER_KEY_DELAY_MS : 0,
      dialing: false,
      loggedReasons: new Map(),
    })
    return true
  }
  // Addresses learned from other nodes do not replace those that the operator configured.
  if (kind === 'learned' && known.kind !== 'learned') return false
  if (kind === 'bootnode') known.isBootnode = true
  addAddress(known, enode)
  if (known.kind === kind || kind === 'learned' || known.kind === 'static') return false
  known.kind = kind
  dialAfter(state, known, 0)
  return true
}

/** Whether only bootnodes are dialed: nothing is known of the network yet, and one of them may answer. */
const waitsForBootnodes = ({ options, targets, hasMetAnother }: State): boolean =>
  options.bootnodesFirst === true &&
  !hasMetAnother &&
  [...targets.values()].some(({ isBootnode, failures }) => isBootnode && failures < BOOTNODE_FAILURES_MAX)

const tick = (state: State): void => {
  const { options, targets } = state
  const bootnodesOnly = waitsForBootnodes(state)
  const nowMs = options.nowMs()
  let freeSlots = options.freeSlots() - state.dialing
  for (const target of targets.values()) {
    if (bootnodesOnly && !target.isBootnode) continue
    const [enode] = target.addresses
    if (enode === undefined || target.dialing || state.dialing >= options.dialsMax) continue
    if (!isDue(target, nowMs) || options.isConnected(target.id) || options.isBanned(target.id)) continue
    if (target.kind !== 'static' && freeSlots <= 0) continue
    const refusal = options.refuses(enode.publicKey, enode.host, enode.port)
    if (refusal !== undefined) {
      onFailed(state, target, `refused: ${refusal}`, REFUSED_BACKOFF_MS)
      continue
    }
    freeSlots--
    void dial(state, target, enode)
  }
}

/** Dials static nodes, bootnodes and validators until they are connected, other learned nodes while there is room. */
export const createDialer = (options: DialerOptions): Dialer => {
  const state: State = { options, targets: new Map(), dialing: 0, hasMetAnother: false }
  const { targets } = state
  return {
    add: (enode, kind) => add(state, enode, kind),
    removeStatic: id => targets.get(id)?.kind === 'static' && targets.delete(id),
    forget: id => void targets.delete(id),
    isStatic: id => targets.get(id)?.kind === 'static',
    tick: () => tick(state),
    onConnected: id => {
      state.hasMetAnother = true
      const target = targets.get(id)
      if (target === undefined) return
      target.failures = 0
      target.loggedReasons.clear()
    },
    onEnded: (id, end) => {
      const target = targets.get(id)
      if (target === undefined) return
      const waitMs = refusedBackoffMs(end)
      if (!end.wasEstablished) return onFailed(state, target, end.reason, waitMs)
      dialAfter(state, target, waitMs ?? backoffMs(1))
    },
  }
}
