import { answersPing } from '../session/answersPing.ts'
import { disconnectSession } from '../session/ending.ts'
import { nameOf, type Session } from '../session/session.ts'
import { isConnected } from './connections.ts'
import type { Devp2pNode } from './devp2pNode.ts'
import { isSimultaneous } from './peerTable.ts'

/** The connection with the node that an earlier one may be, or another with its key; undefined where there is none. */
export const earlierWithKey = (node: Devp2pNode, session: Session): Session | undefined => {
  const current = node.table.get(session.id)?.session
  // Two connections that both sides dialed at once are of one node.
  return current === undefined || isSimultaneous(session, current) ? undefined : current
}

/**
 * Refuses a node while another one with its key is connected and answers: two nodes with one key would take the connection
 * from each other.
 */
export const refuseSameKey = async (node: Devp2pNode, session: Session): Promise<void> => {
  const current = earlierWithKey(node, session)
  if (current === undefined || !(await answersPing(current)) || session.stage === 'closing') return
  const host = current.remoteHost.includes(':') ? `[${current.remoteHost}]` : current.remoteHost
  const reason = `another node with its key is connected from ${host}:${current.remotePort}`
  node.log.info('Refused {peer}: {reason}', { peer: nameOf(session), reason })
  await disconnectSession(session, 'alreadyConnected', reason)
}

/** Reports a peer that refuses this node because it is connected with another one of the same key. */
export const noteRefusal = (node: Devp2pNode, { id, address, isDuplicate }: Session): void => {
  if (isDuplicate && !isConnected(node, id))
    node.handlers.onKeyInUse?.(address, 'it is connected with another node that has this key')
}
