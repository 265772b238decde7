import { type PermittedNode, unpermitted } from '../../../p2p/peers/permittedNodes.ts'

/** Index of each counter. */
const COUNTERS = { incomplete: 0, permitted: 1, unpermitted: 2 } as const

export type ConnectionCounts = {
  /** Connections that are in their handshake. */
  readonly incomplete: number
  /** Checks of nodes against the allowlist since the start, by their outcome. */
  readonly permitted: number
  readonly unpermitted: number
}

/** Counters that the network writes and the main thread reads. */
export const createConnectionCounters = (): SharedArrayBuffer =>
  new SharedArrayBuffer(Object.keys(COUNTERS).length * Uint32Array.BYTES_PER_ELEMENT)

export const readConnectionCounts = (counters: SharedArrayBuffer): ConnectionCounts => {
  const values = new Uint32Array(counters)
  const read = (name: keyof typeof COUNTERS): number => Atomics.load(values, COUNTERS[name])
  return { incomplete: read('incomplete'), permitted: read('permitted'), unpermitted: read('unpermitted') }
}

export type ConnectionCounting = {
  /** Why the allowlist refuses a node, and counts the check; undefined where it does not. */
  readonly unpermitted: typeof unpermitted
  readonly onIncomplete: (count: number) => void
}

/** What the network calls to count; `counters` as of `createConnectionCounters`. */
export const countConnections = (counters: SharedArrayBuffer): ConnectionCounting => {
  const values = new Uint32Array(counters)
  return {
    unpermitted: (permitted: readonly PermittedNode[] | undefined, publicKey, host, port) => {
      if (permitted === undefined) return undefined
      const refusal = unpermitted(permitted, publicKey, host, port)
      Atomics.add(values, refusal === undefined ? COUNTERS.permitted : COUNTERS.unpermitted, 1)
      return refusal
    },
    onIncomplete: count => void Atomics.store(values, COUNTERS.incomplete, count),
  }
}
