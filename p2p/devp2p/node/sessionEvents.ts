import type { Misbehaviour } from '../../network.ts'
import { ANSWER_CODES, ETH } from '../ethCodes.ts'
import type { EthPeer } from '../eth/ethPeer.ts'
import { isRequest } from '../eth/serving.ts'
import { disconnectSession } from '../session/ending.ts'
import { nameOf, type ProtocolMessage, type Session, type SessionEvents } from '../session/session.ts'
import { isFull, refusalOf } from './connections.ts'
import type { Devp2pNode } from './devp2pNode.ts'
import { onStatus } from './establish.ts'
import { earlierWithKey, noteRefusal, refuseOverOther, refuseSameKey } from './sameKey.ts'
import { sendStatus } from './statusExchange.ts'

const onHello = (node: Devp2pNode, session: Session): void => {
  const refusal = refusalOf(node, session)
  if (refusal !== undefined) {
    node.log.info('Refused {peer}: {reason}', { peer: nameOf(session), reason: refusal.text })
    return void disconnectSession(session, refusal.reason, refusal.text, true)
  }
  if (isFull(node, session)) return void disconnectSession(session, 'tooManyPeers', 'too many peers', true)
  if (refuseOverOther(node, session)) return
  if (earlierWithKey(node, session) === undefined) return sendStatus(node, session)
  void refuseSameKey(node, session).then(() => {
    if (session.stage !== 'closing') sendStatus(node, session)
  })
}

/** Announcements, which are of use once the peer is established. */
const onAnnouncement = (node: Devp2pNode, peer: EthPeer, code: number, payload: Uint8Array): void => {
  const { blocks, transactions } = node.parts
  switch (code) {
    case ETH.newBlockHashes:
      return blocks.onAnnouncements(peer, payload)
    case ETH.newBlock:
      return blocks.onNewBlock(peer, payload)
    case ETH.transactions:
      return transactions.onTransactions(peer, payload)
    case ETH.newPooledTransactionHashes:
      return transactions.onAnnouncements(peer, payload)
    case ETH.blockRangeUpdate:
      return blocks.onRange(peer, payload)
    default:
      throw new Error(`eth has no message ${code}`)
  }
}

const onEthMessage = (
  node: Devp2pNode,
  pending: Map<Session, EthPeer>,
  session: Session,
  { code, payload }: ProtocolMessage,
): void => {
  if (code === ETH.status) {
    if (session.stage !== 'status') throw new Error('a second status')
    const peer = onStatus(node, session, payload)
    if (peer !== undefined) pending.set(session, peer)
    return
  }
  const peer = pending.get(session)
  if (peer === undefined) return
  if (ANSWER_CODES.has(code)) return peer.requests.answered(code, payload)
  if (isRequest(code)) return node.parts.serving.answer(peer, code, payload)
  onAnnouncement(node, peer, code, payload)
}

const onMisbehaviour = (node: Devp2pNode, session: Session, what: Misbehaviour, detail: string): void => {
  if (!node.scoring.report(session.id, nameOf(session), what, detail)) return
  if (what === 'flooding' && session.inbound && !node.parts.dialer.isStatic(session.id))
    node.inboundLimit.flooded(session.remoteHost)
  session.gate.close()
  void disconnectSession(session, 'breachOfProtocol', `banned: ${what}`, true)
}

const onEnded = (node: Devp2pNode, peers: Map<Session, EthPeer>, session: Session): void => {
  const { table, parts, handlers, log } = node
  const reason = session.reason ?? 'the connection was closed'
  node.sessions.delete(session)
  const ethPeer = peers.get(session)
  peers.delete(session)
  ethPeer?.controller.abort()
  ethPeer?.requests.fail(reason)
  const peer = table.remove(session)
  // Another connection with this node goes on.
  if (table.get(session.id) !== undefined) return
  noteRefusal(node, session)
  parts.dialer.onEnded(session.id, {
    reason,
    wasEstablished: peer !== undefined,
    refused: session.refused,
  })
  if (peer === undefined) return
  log.debug('Lost {peer}: {reason}', { peer: nameOf(session), reason })
  parts.blocks.disconnected(session.id)
  parts.neighbours.changed()
  handlers.onPeerDisconnected(peer.peer, reason)
}

/** The node's handlers for events of its connections. */
export const createSessionEvents = (node: Devp2pNode): SessionEvents => {
  /** By connection: the peers whose status has arrived. */
  const peers = new Map<Session, EthPeer>()
  return {
    onHello: session => onHello(node, session),
    onMessage: (session, message) => {
      if (message.protocol === 'eth') return onEthMessage(node, peers, session, message)
      const peer = peers.get(session)
      if (peer === undefined) return
      if (message.protocol === 'quorate') node.parts.neighbours.receive(peer, message.payload)
      else node.parts.consensus.receive(peer, message.code, message.payload)
    },
    onMisbehaviour: (session, what, detail) => onMisbehaviour(node, session, what, detail),
    onEnded: session => onEnded(node, peers, session),
    expects: (session, code, id) => peers.get(session)?.requests.expects(code, id) ?? { kind: 'unasked' },
  }
}
