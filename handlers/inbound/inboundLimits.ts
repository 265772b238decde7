/**
 * Concurrent requests of one address: browsers open 6 connections, wallets and indexers some hundred. A client that exceeds
 * this opens connections without finishing its requests.
 */
const REQUESTS_OF_ADDRESS_MAX = 1_000

/** Memory of request bodies and of their parsed values, for all ports. */
const BODIES_BYTES_MAX = 256 * 1024 * 1024

/** Longest body that counts as short, as nearly every body does. */
export const SHORT_BODY_BYTES = 64 * 1024

/** Part of BODIES_BYTES_MAX reserved for short bodies, so that long ones never block ordinary requests. */
const SHORT_BODIES_BYTES = 32 * 1024 * 1024

/** Claims memory for a request until it is answered; false where too much is held. Negative bytes give some of it back. */
export type ClaimBytes = (bytes: number) => boolean

/** An admitted request. */
export type Admitted = {
  /** Claims bytes until the request is released. */
  readonly claim: ClaimBytes
  /** The request was answered. */
  release(): void
}

/** Limits on the concurrent requests of all clients. One instance serves all ports. */
export type InboundLimits = {
  /** Undefined where the address has too many concurrent requests. @param address called only where the count matters */
  admit(address: () => string): Admitted | undefined
  /** As `admit`, for a message of a connection that is counted elsewhere. */
  open(): Admitted
  /** Admitted requests that are not answered yet. */
  readonly requests: () => number
}

type Options = { readonly requestsOfAddressMax?: number; readonly bodiesBytesMax?: number }

/** One request in progress. Its address is determined when it is first needed. */
type Entry = { readonly determineAddress: () => string; address: string | undefined }

const addressOf = (entry: Entry): string => (entry.address ??= entry.determineAddress())

const add = (counts: Map<string, number>, address: string, difference: number): void => {
  const count = (counts.get(address) ?? 0) + difference
  if (count === 0) counts.delete(address)
  else counts.set(address, count)
}

/** Counts requests by address, but only while there are so many requests that one address may exceed the limit. */
const createAddressCounts = (requestsMax: number) => {
  const underWay = new Set<Entry>()
  /** Undefined while there are fewer requests in all: determining an address costs as much as a short answer. */
  let counts: Map<string, number> | undefined

  const countAll = (): Map<string, number> => {
    const all = new Map<string, number>()
    for (const entry of underWay) add(all, addressOf(entry), 1)
    return all
  }

  return {
    /** Undefined where its address has too many. */
    enter: (determineAddress: () => string): Entry | undefined => {
      const entry: Entry = { determineAddress, address: undefined }
      if (underWay.size >= requestsMax) {
        counts ??= countAll()
        if ((counts.get(addressOf(entry)) ?? 0) >= requestsMax) return undefined
      }
      underWay.add(entry)
      if (counts !== undefined) add(counts, addressOf(entry), 1)
      return entry
    },
    size: () => underWay.size,
    leave: (entry: Entry): void => {
      if (!underWay.delete(entry)) return
      if (underWay.size < requestsMax / 2) counts = undefined
      else if (counts !== undefined) add(counts, addressOf(entry), -1)
    },
  }
}

export const createInboundLimits = ({
  requestsOfAddressMax = REQUESTS_OF_ADDRESS_MAX,
  bodiesBytesMax = BODIES_BYTES_MAX,
}: Options = {}): InboundLimits => {
  const addresses = createAddressCounts(requestsOfAddressMax)
  const longBodiesBytesMax = bodiesBytesMax - Math.min(SHORT_BODIES_BYTES, bodiesBytesMax / 2)
  let heldBytes = 0

  const admitted = (entry: Entry | undefined): Admitted => {
    let ownBytes = 0
    return {
      claim: bytes => {
        const isShort = ownBytes + bytes <= SHORT_BODY_BYTES
        if (bytes > 0 && heldBytes + bytes > (isShort ? bodiesBytesMax : longBodiesBytesMax)) return false
        heldBytes += bytes
        ownBytes += bytes
        return true
      },
      release: () => {
        heldBytes -= ownBytes
        ownBytes = 0
        if (entry !== undefined) addresses.leave(entry)
      },
    }
  }

  return {
    admit: address => {
      const entry = addresses.enter(address)
      return entry === undefined ? undefined : admitted(entry)
    },
    open: () => admitted(undefined),
    requests: addresses.size,
  }
}
