import { createBuckets } from '../bucket.ts'
import { ipGroups, parseIpAddress } from '../ipAddress.ts'

/** Failed logins from one address: this many at once, then one every three seconds. */
export const FAILURES_OF_ADDRESS_MAX = 60
const ADDRESS_REFILL_MS = 3_000

/** Failed logins as one user, from all addresses: this many at once, then one every two seconds. */
export const FAILURES_OF_USER_MAX = 100
const USER_REFILL_MS = 2_000

/**
 * Tokens an attempt costs its address once the user's bucket is empty: one attempt a minute. This slows down an attacker who
 * uses many addresses, and never locks out the user, whose own address has a full bucket.
 */
export const COST_UNDER_ATTACK = 20

/** Attempts of one address in progress: fewer than the bcrypt queue holds, so that other addresses get a place. */
export const UNDER_WAY_MAX = 24

/** Number of buckets. bcrypt limits the attempts per second, so buckets are full again before there are this many. */
const KEYS_MAX = 10_000

/** An admitted attempt; it counts as failed unless `succeeded` is called. */
export type Attempt = { readonly succeeded: () => void; readonly settled: () => void }

export type Admission =
  | { readonly kind: 'admitted'; readonly attempt: Attempt }
  /** Too many attempts failed. */
  | { readonly kind: 'limited'; readonly retrySeconds: number }
  /** Too many attempts of the address are in progress, or the next one would exceed the limit if they all failed. */
  | { readonly kind: 'busy' }

export type LoginLimits = { readonly admit: (from: string, username: string) => Admission }

const NOTHING = { count: 0, cost: 0 } as const

/** The part of an address that is counted. Of IPv6 it is the first half: one customer holds all addresses of the other half. */
const networkOf = (from: string): string => {
  const address = parseIpAddress(from)
  return address === undefined || address.length === 4 ? from : ipGroups(address).slice(0, 4).join(':')
}

/** Unknown user names are counted too; otherwise the answers would reveal which names exist. */
export const createLoginLimits = (nowMs: () => number): LoginLimits => {
  const common = { keysMax: KEYS_MAX, nowMs }
  const addresses = createBuckets({ size: FAILURES_OF_ADDRESS_MAX, refillMs: ADDRESS_REFILL_MS, ...common })
  const users = createBuckets({ size: FAILURES_OF_USER_MAX, refillMs: USER_REFILL_MS, ...common })
  /** Attempts in progress and their cost, which is given back if they succeed. */
  const underWay = new Map<string, { readonly count: number; readonly cost: number }>()
  const addUnderWay = (network: string, count: number, cost: number): void => {
    const before = underWay.get(network) ?? NOTHING
    if (before.count + count <= 0) underWay.delete(network)
    else underWay.set(network, { count: before.count + count, cost: before.cost + cost })
  }

  return {
    admit: (from, username) => {
      const network = networkOf(from)
      const cost = users.left(username) > 0 ? 1 : COST_UNDER_ATTACK
      const waiting = underWay.get(network) ?? NOTHING
      if (waiting.count >= UNDER_WAY_MAX) return { kind: 'busy' }
      if (addresses.left(network) < cost) {
        if (addresses.left(network) + waiting.cost >= cost) return { kind: 'busy' }
        const retrySeconds = Math.max(1, Math.ceil(addresses.waitMs(network, cost) / 1000))
        return { kind: 'limited', retrySeconds }
      }
      addresses.take(network, cost)
      users.take(username, 1)
      addUnderWay(network, 1, cost)
      return {
        kind: 'admitted',
        attempt: {
          succeeded: () => {
            addresses.giveBack(network, cost)
            users.giveBack(username, 1)
          },
          settled: () => addUnderWay(network, -1, -cost),
        },
      }
    },
  }
}
