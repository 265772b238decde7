import { errorText } from '../../../core/text/errorText.ts'
import { equalBytes } from '../../../core/bytes/bytes.ts'
import { toHex } from '../../../core/bytes/hex.ts'
import type { Peer } from '../../network.ts'
import { formatEnode } from '../../transport/enode.ts'
import { capabilityText } from '../base/capabilities.ts'
import { headerHash, requestHeaders } from '../eth/blockRequests.ts'
import { readHeaderFields } from '../eth/blocks.ts'
import { createEthPeer, type EthPeer } from '../eth/ethPeer.ts'
import { type EthStatus, historyStartOf } from '../eth/status.ts'
import { disconnectSession } from '../session/ending.ts'
import { deliverEarly } from '../session/receiving.ts'
import { nameOf, type Session } from '../session/session.ts'
import type { Devp2pNode } from './devp2pNode.ts'
import { hasTooManyInbound, isFull } from './connections.ts'
import { refuseOverOther, refuseSameKey } from './sameKey.ts'
import { readStatus } from './statusExchange.ts'

/** Tries to get the header of the head that a peer claims. */
const HEAD_TRIES = 3

const enodeOf = ({ publicKey, remoteHost, remotePort, inbound, hello }: Session): string => {
  const port = inbound ? (hello?.port ?? 0) : remotePort
  return formatEnode({ publicKey, host: remoteHost, port })
}

const peerOf = (session: Session, status: EthStatus, nowMs: number): Peer => {
  const { address, publicKey, remoteHost, remotePort, inbound, hello } = session
  const host = remoteHost.includes(':') ? `[${remoteHost}]` : remoteHost
  return {
    address,
    publicKey,
    enode: enodeOf(session),
    remoteAddress: `${host}:${remotePort}`,
    inbound,
    status: {
      networkId: status.networkId,
      genesisHash: status.genesisHash,
      configuration: {},
      headNumber: status.head.range?.latest ?? 0n,
      headHash: status.head.hash,
      historyStart: historyStartOf(status.head.range?.earliest),
      client: hello?.client ?? '',
      neighbours: [],
      features: [],
    },
    connectedAtMs: nowMs,
    instance: hello?.instance,
    capabilities: (hello?.capabilities ?? []).map(capabilityText),
  }
}

/**
 * The number of the head that the peer claims: before eth/69 a status does not contain it. Undefined when it does not give
 * the header.
 */
const headNumberOf = async (node: Devp2pNode, peer: EthPeer): Promise<bigint | undefined> => {
  if (peer.version === 69) return peer.peer.status.headNumber
  const { genesisHash } = node.handlers.status()
  const hash = peer.peer.status.headHash
  if (equalBytes(hash, genesisHash)) return 0n
  for (let tries = 0; tries < HEAD_TRIES; tries++) {
    const query = { start: { hash }, count: 1, skip: 0n, reverse: false }
    const [raw] = await requestHeaders(peer, query, peer.controller.signal)
    if (raw !== undefined && equalBytes(headerHash(node.options.chain.consensus, raw), hash))
      return readHeaderFields(raw).number
  }
  return undefined
}

const establish = (node: Devp2pNode, peer: EthPeer, headNumber: bigint): void => {
  const { session } = peer
  const { handlers, table, parts, log } = node
  peer.peer = { ...peer.peer, status: { ...peer.peer.status, headNumber } }
  session.stage = 'established'
  session.establishedAtMs = node.options.nowMs()
  if (handlers.roleOf(session.address) === 'validator') node.knownHosts.add(session.remoteHost)
  const other = table.add(peer)
  if (other === peer) return
  parts.dialer.onConnected(session.id)
  if (other === undefined) {
    log.debug('Connected with {peer}', { peer: nameOf(session) })
    handlers.onPeer(peer.peer)
  } else handlers.onStatus(peer.peer)
  deliverEarly(session)
  parts.neighbours.changed()
  void parts.transactions.announcePool(peer)
}

/**
 * Handles the status of the other side: refuses a node of another chain, or requests the number of its head. The node is a
 * peer once that is known.
 * @throws RlpError when the bytes are not a status
 */
export const onStatus = (node: Devp2pNode, session: Session, payload: Uint8Array): EthPeer | undefined => {
  const { agreed } = session
  if (agreed === undefined) return undefined
  const { version } = agreed.eth
  const { status, refusal } = readStatus(node, version, payload)
  if (refusal !== undefined) {
    const { reason, differing } = refusal
    void disconnectSession(session, 'subprotocolError', `another chain: ${reason}`, true)
    node.handlers.onRefused(nameOf(session), reason, differing, toHex(session.address))
    return undefined
  }
  if (isFull(node, session) || hasTooManyInbound(node, session)) {
    void disconnectSession(session, 'tooManyPeers', 'too many peers', true)
    return undefined
  }
  session.stage = 'head'
  session.gate.admit()
  const peer = createEthPeer(session, version, peerOf(session, status, node.options.nowMs()))
  void findHead(node, peer)
  return peer
}

const findHead = async (node: Devp2pNode, peer: EthPeer): Promise<void> => {
  const { session } = peer
  try {
    const number = await headNumberOf(node, peer)
    if (session.stage !== 'head') return
    if (number === undefined)
      return void disconnectSession(session, 'uselessPeer', 'it does not deliver the header of its head')
    await refuseSameKey(node, session)
    refuseOverOther(node, session)
    if (session.stage === 'head') establish(node, peer, number)
  } catch (error) {
    void disconnectSession(
      session,
      'uselessPeer',
      `it does not deliver the header of its head: ${errorText(error)}`,
    )
  }
}
