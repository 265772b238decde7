import { createBuckets } from '../bucket.ts'
import { ipGroups, parseIpAddress } from '../ipAddress.ts'
import { createKnownKeys } from './knownKeys.ts'
import type { PasswordClient } from './password.ts'

/** Longest login request: a user name and a password are short. */
export const LOGIN_BYTES_MAX = 8 * 1024

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

/**
 * Failed logins as a user from an address from which this user has logged in before: this many at once, then one every three
 * seconds. They have a bucket of their own, which failures of others behind the same address (a proxy, a company) leave full.
 */
export const FAILURES_OF_KNOWN_MAX = 10

/** A user is known at an address for a week after a login: tokens are valid for minutes, and weekends are free. */
export const KNOWN_MS = 7 * 24 * 60 * 60 * 1000

/** Number of buckets. bcrypt limits the attempts per second, so buckets are full again before there are this many. */
const KEYS_MAX = 10_000

/** An admitted attempt; it counts as failed unless `succeeded` or `unchecked` is called. */
export type Attempt = {
  readonly client: PasswordClient
  readonly succeeded: () => void
  /** The password was not checked. */
  readonly unchecked: () => void
  readonly settled: () => void
}

export type Admission =
  | { readonly kind: 'admitted'; readonly attempt: Attempt }
  /** Too many attempts failed. */
  | { readonly kind: 'limited'; readonly retrySeconds: number }
  /** The attempt would exceed the limit if all attempts of the address in progress failed. */
  | { readonly kind: 'busy' }

export type LoginLimits = { readonly admit: (from: string, username: string) => Admission }

/** The part of an address that is counted. Of IPv6 it is the first half: one customer holds all addresses of the other half. */
const networkOf = (from: string): string => {
  const address = parseIpAddress(from)
  return address === undefined || address.length === 4 ? from : ipGroups(address).slice(0, 4).join(':')
}

/** An address has no line break. */
const keyOf = (network: string, username: string): string => `${network}\n${username}`

/** Unknown user names are counted too; otherwise the answers would reveal which names exist. */
export const createLoginLimits = (nowMs: () => number): LoginLimits => {
  const common = { keysMax: KEYS_MAX, nowMs }
  const addresses = createBuckets({ size: FAILURES_OF_ADDRESS_MAX, refillMs: ADDRESS_REFILL_MS, ...common })
  const users = createBuckets({ size: FAILURES_OF_USER_MAX, refillMs: USER_REFILL_MS, ...common })
  const ofKnown = createBuckets({ size: FAILURES_OF_KNOWN_MAX, refillMs: ADDRESS_REFILL_MS, ...common })
  const known = createKnownKeys({ keysMax: KEYS_MAX, knownMs: KNOWN_MS, nowMs })
  /** The cost of attempts in progress, which is given back if they succeed. */
  const underWay = new Map<string, number>()
  const addUnderWay = (network: string, cost: number): void => {
    const sum = (underWay.get(network) ?? 0) + cost
    if (sum <= 0) underWay.delete(network)
    else underWay.set(network, sum)
  }

  /** The attempt, whose cost has been taken from the bucket of its client and from that of its user. */
  const admitted = (client: PasswordClient, giveBack: () => void, settled: () => void): Admission => {
    const unchecked = (): void => {
      giveBack()
      users.giveBack(client.username, 1)
    }
    const succeeded = (): void => {
      unchecked()
      known.add(keyOf(client.network, client.username))
    }
    users.take(client.username, 1)
    return { kind: 'admitted', attempt: { client, succeeded, unchecked, settled } }
  }

  return {
    admit: (from, username) => {
      const network = networkOf(from)
      const key = keyOf(network, username)
      if (known.has(key) && ofKnown.left(key) > 0) {
        ofKnown.take(key, 1)
        const client = { network, username, isKnown: true }
        return admitted(
          client,
          () => ofKnown.giveBack(key, 1),
          () => undefined,
        )
      }
      const cost = users.left(username) > 0 ? 1 : COST_UNDER_ATTACK
      if (addresses.left(network) < cost) {
        if (addresses.left(network) + (underWay.get(network) ?? 0) >= cost) return { kind: 'busy' }
        const retrySeconds = Math.max(1, Math.ceil(addresses.waitMs(network, cost) / 1000))
        return { kind: 'limited', retrySeconds }
      }
      addresses.take(network, cost)
      addUnderWay(network, cost)
      return admitted(
        { network, username, isKnown: false },
        () => addresses.giveBack(network, cost),
        () => addUnderWay(network, -cost),
      )
    },
  }
}
