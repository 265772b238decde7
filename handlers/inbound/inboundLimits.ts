/**
 * Requests of one address under way at the same time: browsers open 6 connections, wallets and indexers some hundred. More
 * than that is a client that opens connections and never finishes its requests.
 */
export const REQUESTS_OF_ADDRESS_MAX = 1_000

/** Bytes of request bodies, and of what they were parsed into, that are held at the same time, those of all ports together. */
export const BODIES_BYTES_MAX = 256 * 1024 * 1024

/** Longest body that counts as short: nearly every request is one. */
export const SHORT_BODY_BYTES = 64 * 1024

/** The part of BODIES_BYTES_MAX that only short bodies get: long ones never keep ordinary requests out. */
const SHORT_BODIES_BYTES = 32 * 1024 * 1024

/** Claims memory for a request until it is answered; false where too much is held. */
export type ClaimBytes = (bytes: number) => boolean

/** A request that was let in. */
export type Admitted = {
  /** Claims bytes until the request is released. */
  readonly claim: ClaimBytes
  /** The request was answered. */
  release(): void
}

/** What all clients together may ask of the node at the same time. One for all ports. */
export type InboundLimits = {
  /** Undefined where too many requests of the address are under way. @param address is asked for only where it matters */
  admit(address: () => string): Admitted | undefined
  /** As admit, for a message of a connection that is counted elsewhere. */
  open(): Admitted
}

type Options = { readonly requestsOfAddressMax?: number; readonly bodiesBytesMax?: number }

/** One request under way; its address is known once it was asked for. */
type Entry = { readonly askAddress: () => string; known: string | undefined }

const addressOf = (entry: Entry): string => (entry.known ??= entry.askAddress())

const add = (counts: Map<string, number>, address: string, difference: number): void => {
  const count = (counts.get(address) ?? 0) + difference
  if (count === 0) counts.delete(address)
  else counts.set(address, count)
}

/** Counts requests by address, as soon as there are so many that one address may have too many. */
const createAddressCounts = (requestsMax: number) => {
  const underWay = new Set<Entry>()
  /** Undefined as long as all addresses together have fewer: asking for an address costs as much as a short answer. */
  let counts: Map<string, number> | undefined

  const countAll = (): Map<string, number> => {
    const all = new Map<string, number>()
    for (const entry of underWay) add(all, addressOf(entry), 1)
    return all
  }

  return {
    /** Undefined where its address has too many. */
    enter: (askAddress: () => string): Entry | undefined => {
      const entry: Entry = { askAddress, known: undefined }
      if (underWay.size >= requestsMax) {
        counts ??= countAll()
        if ((counts.get(addressOf(entry)) ?? 0) >= requestsMax) return undefined
      }
      underWay.add(entry)
      if (counts !== undefined) add(counts, addressOf(entry), 1)
      return entry
    },
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
        if (heldBytes + bytes > (isShort ? bodiesBytesMax : longBodiesBytesMax)) return false
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
  }
}
