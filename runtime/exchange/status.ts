import type { Chain } from '../../core/chain/chain.ts'
import type { Network, PeerStatus } from '../../p2p/network.ts'

/** A status is told this long after a change, so that changes that come together are told as one. */
const SOON_MS = 20

/** And not more often than this: blocks are announced besides, and catching up changes the head all the time. */
const BETWEEN_MS = 500

export type StatusOptions = {
  readonly chain: Chain
  readonly networkId: bigint
  readonly client: string
  readonly configuration: Readonly<Record<string, string>>
  readonly network: () => Network | undefined
  readonly nowMs: () => number
}

export type OwnStatus = {
  readonly get: () => PeerStatus
  /** Something in it changed. */
  changed(): void
  stop(): void
}

/** What this node tells of itself. */
export const createOwnStatus = (options: StatusOptions): OwnStatus => {
  const { chain, networkId, client, configuration, network, nowMs } = options
  let timer: ReturnType<typeof setTimeout> | undefined
  let toldMs = 0
  let stopped = false
  return {
    get: () => {
      const { header, hash } = chain.head()
      return {
        networkId,
        genesisHash: chain.genesis.hash,
        configuration,
        headNumber: header.number,
        headHash: hash,
        client,
        neighbours:
          network()
            ?.peers()
            .map(({ address }) => address) ?? [],
      }
    },
    changed: () => {
      if (timer !== undefined || stopped) return
      const waitMs = Math.min(Math.max(toldMs + BETWEEN_MS - nowMs(), SOON_MS), BETWEEN_MS)
      timer = setTimeout(() => {
        timer = undefined
        toldMs = nowMs()
        network()?.tellStatus()
      }, waitMs)
    },
    stop: () => {
      stopped = true
      clearTimeout(timer)
    },
  }
}
