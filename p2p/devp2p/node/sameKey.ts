import { answersPing } from '../session/answersPing.ts'
import { abortSession, disconnectSession } from '../session/ending.ts'
import { nameOf, type Session } from '../session/session.ts'
import { isConnected } from './connections.ts'
import type { Devp2pNode } from './devp2pNode.ts'
import { isSimultaneous } from './peerTable.ts'

/** The connection with the node that an earlier one may be, or another with its key; undefined where there is none. */
export const earlierWithKey = (node: Devp2pNode, session: Session): Session | undefined => {
  const current = node.table.get(session.id)?.session
  if (current === undefined) return undefined
  const [instance, other] = [session.hello?.instance, current.hello?.instance]
  // Two connections that both sides dialed at once are of one node, as far as is known.
  const isSame =
    instance === undefined || other === undefined ? isSimultaneous(session, current) : instance === other
  return isSame ? undefined : current
}

const refuse = (node: Devp2pNode, session: Session, endpoint: string): Promise<void> => {
  const reason = `another node with its key is connected from ${endpoint}`
  node.log.info('Refused {peer}: {reason}', { peer: nameOf(session), reason })
  return disconnectSession(session, 'alreadyConnected', reason)
}

/** Refuses a node while another one with its key is connected over another transport of this node; true if it did. */
export const refuseOverOther = (node: Devp2pNode, session: Session): boolean => {
  if (session.stage === 'closing') return false
  const { address, hello } = session
  const identity = { address, instance: hello?.instance, status: { client: hello?.client ?? '' } }
  const endpoint = node.options.otherWithKey?.(identity)
  if (endpoint !== undefined) void refuse(node, session, endpoint)
  return endpoint !== undefined
}

/**
 * Refuses a node while another one with its key is connected and answers: two nodes with one key would take the connection
 * from each other.
 */
export const refuseSameKey = async (node: Devp2pNode, session: Session): Promise<void> => {
  const current = earlierWithKey(node, session)
  if (current === undefined || !(await answersPing(current)) || session.stage === 'closing') return
  const host = current.remoteHost.includes(':') ? `[${current.remoteHost}]` : current.remoteHost
  await refuse(node, session, `${host}:${current.remotePort}`)
}

/** Disconnects a node over devp2p that went silent: where it has ended, another one with its key may take its place. */
export const endIfSilent = async (node: Devp2pNode, id: string): Promise<void> => {
  const session = node.table.get(id)?.session
  const sinceMs = node.options.nowMs()
  if (session === undefined || (await answersPing(session)) || session.receivedAtMs >= sinceMs) return
  abortSession(session, 'it does not answer a ping')
}

/** Reports a peer that refuses this node because it is connected with another one of the same key. */
export const noteRefusal = (node: Devp2pNode, { id, address, isDuplicate }: Session): void => {
  if (isDuplicate && !isConnected(node, id))
    node.handlers.onKeyInUse?.(address, 'it is connected with another node that has this key')
}
