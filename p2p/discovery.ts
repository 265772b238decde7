import type { Enode } from './enode.ts'
import { textOf } from './error.ts'
import { type Link, nameOf } from './link.ts'
import type { NetworkLog } from './network.ts'
import { askForEnodes } from './peerExchange.ts'
import type { PeerTable } from './peerTable.ts'

/** One peer after the other is asked, one in this time. */
const ASK_INTERVAL_MS = 10_000

export type Discovery = {
  start(): void
  /** Asks this peer now, when more peers are wanted. */
  ask(link: Link): void
  /** What a peer is answered: the others. */
  enodesFor(link: Link): readonly string[]
  stop(): void
}

/** Nodes are learned of by asking connected ones whom they are connected with. */
export const createDiscovery = (options: {
  readonly table: PeerTable
  readonly protocol: string
  readonly log: NetworkLog
  readonly wants: () => boolean
  readonly learn: (enodes: readonly Enode[]) => void
}): Discovery => {
  const { table, protocol, log, wants, learn } = options
  let turn = 0

  const ask = (link: Link): void => {
    if (!wants()) return
    askForEnodes(link, protocol).then(learn, cause =>
      log.debug('{peer} named no nodes: {reason}', { peer: nameOf(link), reason: textOf(cause) }),
    )
  }

  const askNext = (): void => {
    const links = [...table.all()].flatMap(({ links: [first] }) => (first === undefined ? [] : [first]))
    const link = links[turn++ % Math.max(1, links.length)]
    if (link !== undefined) ask(link)
  }
  let timer: ReturnType<typeof setInterval> | undefined

  return {
    start: () => {
      timer = setInterval(askNext, ASK_INTERVAL_MS)
    },
    ask,
    enodesFor: ({ id }) =>
      [...table.all()].filter(({ links: [first] }) => first?.id !== id).map(({ peer }) => peer.enode),
    stop: () => clearInterval(timer),
  }
}
