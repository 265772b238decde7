import { createBuckets } from './bucket.ts'
import { ipGroups, parseIpAddress } from './ipAddress.ts'

/** Failed logins from one address: so many at once, then one in three seconds. */
export const FAILURES_OF_ADDRESS_MAX = 60
const ADDRESS_REFILL_MS = 3_000

/** Failed logins as one user from all addresses together: so many at once, then one in two seconds. */
export const FAILURES_OF_USER_MAX = 100
const USER_REFILL_MS = 2_000

/**
 * What an attempt costs an address while the user has none left: one a minute. So whoever tries passwords from many
 * addresses is slowed down, and the user, who comes from an address of their own, is never locked out.
 */
export const COST_UNDER_ATTACK = 20

/** Attempts of one address under way: fewer than may wait for bcrypt in all, so that others find a place. */
export const UNDER_WAY_MAX = 24

/** Attempts are bounded by what bcrypt does in a second, so their buckets are full again before there are so many. */
const KEYS_MAX = 10_000

/** An attempt that may go on; it counts as failed unless it says otherwise. */
export type Attempt = { readonly succeeded: () => void; readonly settled: () => void }

export type Admission =
  | { readonly kind: 'admitted'; readonly attempt: Attempt }
  /** Too many failed. */
  | { readonly kind: 'limited'; readonly retrySeconds: number }
  /** Too many attempts of the address are under way, or the next would be one too many if they all failed. */
  | { readonly kind: 'busy' }

export type LoginLimits = { readonly admit: (from: string, username: string) => Admission }

const NOTHING = { count: 0, cost: 0 } as const

/** What counts as one address: of IPv6 the first half, as one customer has all of the other. */
const networkOf = (from: string): string => {
  const address = parseIpAddress(from)
  return address === undefined || address.length === 4 ? from : ipGroups(address).slice(0, 4).join(':')
}

/** Names that nobody has are counted too, or the answers would tell them from others. */
export const createLoginLimits = (nowMs: () => number): LoginLimits => {
  const common = { keysMax: KEYS_MAX, nowMs }
  const addresses = createBuckets({ size: FAILURES_OF_ADDRESS_MAX, refillMs: ADDRESS_REFILL_MS, ...common })
  const users = createBuckets({ size: FAILURES_OF_USER_MAX, refillMs: USER_REFILL_MS, ...common })
  /** Attempts under way and their cost, which is taken but not yet lost. */
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
