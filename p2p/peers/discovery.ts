import { errorText } from '../../core/text/errorText.ts'
import type { Enode } from '../transport/enode.ts'
import { type PeerConnection, nameOf } from './connection.ts'
import type { Log } from '../log.ts'
import { askForEnodes } from './peerExchange.ts'
import type { PeerTable } from './peerTable.ts'

/** Interval between two requests; the peers take turns. */
const ASK_INTERVAL_MS = 10_000

export type Discovery = {
  start(): void
  /** Asks this peer now, unless the node has enough peers. */
  ask(connection: PeerConnection): void
  /** The answer to a request: the enodes of all other peers. */
  enodesFor(connection: PeerConnection): readonly string[]
  stop(): void
}

/** Learns of further nodes by asking the connected ones for the enodes of their peers. */
export const createDiscovery = (options: {
  readonly table: PeerTable
  readonly protocol: string
  readonly log: Log
  readonly wantsPeers: () => boolean
  readonly learn: (enodes: readonly Enode[]) => void
}): Discovery => {
  const { table, protocol, log, wantsPeers, learn } = options
  let turn = 0

  const ask = (connection: PeerConnection): void => {
    if (!wantsPeers()) return
    askForEnodes(connection, protocol).then(learn, cause =>
      log.debug('{peer} sent no enodes: {reason}', { peer: nameOf(connection), reason: errorText(cause) }),
    )
  }

  const requestNext = (): void => {
    const connections = [...table.all()].flatMap(({ connections: [first] }) =>
      first === undefined ? [] : [first],
    )
    const connection = connections[turn++ % Math.max(1, connections.length)]
    if (connection !== undefined) ask(connection)
  }
  let timer: ReturnType<typeof setInterval> | undefined

  return {
    start: () => {
      timer = setInterval(requestNext, ASK_INTERVAL_MS)
    },
    ask,
    enodesFor: ({ id }) =>
      [...table.all()].filter(({ connections: [first] }) => first?.id !== id).map(({ peer }) => peer.enode),
    stop: () => clearInterval(timer),
  }
}
