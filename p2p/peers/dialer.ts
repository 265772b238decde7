import { type Enode, formatEnode } from '../transport/enode.ts'
import { textOf } from '../error.ts'
import { idOf } from '../transport/identity.ts'
import type { Log } from '../log.ts'

/** Wait after the first failed dial; it grows by BACKOFF_GROWTH each time, up to BACKOFF_MAX_MS and its jitter. */
const BACKOFF_MIN_MS = 300
const BACKOFF_MAX_MS = 4000
const BACKOFF_GROWTH = 1.6
/** Nodes that lost each other at the same time must not redial in step. */
const JITTER = 0.25
/** Wait after a refusal. */
const REFUSED_BACKOFF_MS = 30_000
/**
 * Two nodes that know each other, or learn of each other at the same time, need one connection: the one with the higher key
 * waits this long for the dial of the other.
 */
const COURTESY_MS = 250
/** Learned nodes, beside those that the operator configured. */
const LEARNED_MAX = 256
/** Consecutive failures after which a learned node is forgotten, unless it is a validator; it can be learned again. */
const LEARNED_FAILURES_MAX = 6
/** Addresses of one node: several files may name the same key. */
const ADDRESSES_MAX = 4

export type Kind = 'static' | 'bootnode' | 'learned'

type Target = {
  readonly id: string
  readonly publicKey: Uint8Array
  kind: Kind
  /** The next to try comes first. */
  readonly addresses: Enode[]
  failures: number
  /** When `waitMs` was set: the next dial is due that much later. */
  decidedAtMs: number
  waitMs: number
  dialing: boolean
  /** The reason of the last failure that was logged. */
  lastReason: string | undefined
}

export type DialerOptions = {
  readonly dial: (enode: Enode) => Promise<void>
  /** Connected, or in a handshake. */
  readonly isConnected: (id: string) => boolean
  readonly isBanned: (id: string) => boolean
  readonly refuses: (publicKey: Uint8Array, host: string, port: number) => string | undefined
  /** Consensus needs validators: they are dialed for as long as they are away. */
  readonly isValidator: (publicKey: Uint8Array) => boolean
  /** The key is below that of this node. */
  readonly isLower: (publicKey: Uint8Array) => boolean
  /** How many more peers the node takes. */
  readonly room: () => number
  readonly dialsMax: number
  readonly nowMs: () => number
  readonly log: Log
}

/** How the last connection with a node ended. */
export type End = {
  readonly reason: string
  /** The statuses had been exchanged. */
  readonly wasEstablished: boolean
  /** One side refused the other. */
  readonly refused: boolean
}

export type Dialer = {
  /** Returns false when it was of this kind already. */
  add(enode: Enode, kind: Kind): boolean
  /** Returns false when it was no static node. */
  removeStatic(id: string): boolean
  isStatic(id: string): boolean
  /** Dials every node that is due. */
  tick(): void
  onConnected(id: string): void
  onEnded(id: string, end: End): void
}

/** Dials static nodes, bootnodes and validators for as long as they are away, other learned nodes while there is room. */
export const createDialer = (options: DialerOptions): Dialer => {
  const { nowMs, log } = options
  const targets = new Map<string, Target>()
  let dialing = 0

  const dialAfter = (target: Target, waitMs: number): void => {
    target.decidedAtMs = nowMs()
    target.waitMs = waitMs
  }

  /** A clock that was set back makes a dial due. */
  const isDue = ({ decidedAtMs, waitMs }: Target, now: number): boolean =>
    now >= decidedAtMs + waitMs || now < decidedAtMs

  const isForgettable = ({ kind, publicKey }: Target): boolean =>
    kind === 'learned' && !options.isValidator(publicKey)

  const failed = (target: Target, reason: string, refused: boolean): void => {
    target.failures++
    dialAfter(target, refused ? REFUSED_BACKOFF_MS : backoffMs(target.failures))
    const [first] = target.addresses
    if (first !== undefined && target.kind !== 'learned' && target.lastReason !== reason)
      log.info('Cannot connect to {enode} yet: {reason}', { enode: formatEnode(first), reason })
    target.lastReason = reason
    if (target.addresses.length > 1) target.addresses.push(target.addresses.shift() as Enode)
    if (target.failures >= LEARNED_FAILURES_MAX && isForgettable(target)) targets.delete(target.id)
  }

  const dial = async (target: Target, enode: Enode): Promise<void> => {
    target.dialing = true
    dialing++
    try {
      await options.dial(enode)
    } catch (cause) {
      failed(target, textOf(cause), false)
    } finally {
      target.dialing = false
      dialing--
    }
  }

  const makeRoom = (): boolean => {
    const learned = [...targets.values()].filter(({ kind }) => kind === 'learned')
    if (learned.length < LEARNED_MAX) return true
    const worst = learned
      .filter(target => target.failures > 0 && isForgettable(target) && !options.isConnected(target.id))
      .sort((a, b) => b.failures - a.failures)[0]
    return worst !== undefined && targets.delete(worst.id)
  }

  const addAddress = (target: Target, enode: Enode): void => {
    if (target.addresses.some(({ host, port }) => host === enode.host && port === enode.port)) return
    target.addresses.unshift(enode)
    if (target.addresses.length > ADDRESSES_MAX) target.addresses.pop()
  }

  return {
    add: (enode, kind) => {
      const id = idOf(enode.publicKey)
      const known = targets.get(id)
      if (known === undefined) {
        if (kind === 'learned' && !makeRoom()) return false
        targets.set(id, {
          id,
          publicKey: enode.publicKey,
          kind,
          addresses: [enode],
          failures: 0,
          decidedAtMs: nowMs(),
          waitMs: kind !== 'bootnode' && options.isLower(enode.publicKey) ? COURTESY_MS : 0,
          dialing: false,
          lastReason: undefined,
        })
        return true
      }
      // What other nodes say does not replace what the operator configured.
      if (kind === 'learned' && known.kind !== 'learned') return false
      addAddress(known, enode)
      if (known.kind === kind || kind === 'learned' || known.kind === 'static') return false
      known.kind = kind
      dialAfter(known, 0)
      return true
    },
    removeStatic: id => {
      const target = targets.get(id)
      if (target?.kind !== 'static') return false
      targets.delete(id)
      return true
    },
    isStatic: id => targets.get(id)?.kind === 'static',
    tick: () => {
      const now = nowMs()
      let room = options.room() - dialing
      for (const target of targets.values()) {
        const [enode] = target.addresses
        if (enode === undefined || target.dialing || dialing >= options.dialsMax) continue
        if (!isDue(target, now) || options.isConnected(target.id) || options.isBanned(target.id)) continue
        if (target.kind !== 'static' && room <= 0) continue
        const refusal = options.refuses(enode.publicKey, enode.host, enode.port)
        if (refusal !== undefined) {
          failed(target, `refused: ${refusal}`, true)
          continue
        }
        room--
        void dial(target, enode)
      }
    },
    onConnected: id => {
      const target = targets.get(id)
      if (target === undefined) return
      target.failures = 0
      target.lastReason = undefined
    },
    onEnded: (id, { reason, wasEstablished, refused }) => {
      const target = targets.get(id)
      if (target === undefined) return
      if (!wasEstablished) return failed(target, reason, refused)
      dialAfter(target, refused ? REFUSED_BACKOFF_MS : backoffMs(1))
    },
  }
}

/** The wait in milliseconds after this many consecutive failures. */
export const backoffMs = (failures: number): number => {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1))
  const base = Math.min(BACKOFF_MAX_MS, BACKOFF_MIN_MS * BACKOFF_GROWTH ** (failures - 1))
  return Math.round(base * (1 + JITTER * (random / 0x1_0000_0000)))
}
