import { abortConnection, finishConnection, refuseConnection, sendStatusMessage } from './closing.ts'
import { isIdle, nameOf, type PeerConnection } from './connection.ts'
import type { ConnectionManagerOptions, Connections } from './connectionManager.ts'
import { refusalOf } from './handshake.ts'

/** Time limit for the exchange of statuses. */
const HANDSHAKE_TIMEOUT_MS = 10_000
/** A peer that sent nothing for this long counts as disconnected, whatever the state of its socket. */
const SILENCE_MAX_MS = 12_000
/** Keep-alive interval. */
const ALIVE_INTERVAL_MS = 3000
/**
 * A tick that is this much late means that this process was suspended; one that is earlier than the last, that the clock was
 * set back. Silence then says nothing about the peers.
 */
const SUSPENSION_MS = 3000
/** Both sides use the better one of two connections after this. */
const DUPLICATE_GRACE_MS = 2000
/** The other side has read what was sent over a duplicate connection, and closed it, after this. */
const DUPLICATE_LINGER_MS = 10_000
const DUPLICATE_CONNECTION = 'duplicate connection'

const supervise = (options: ConnectionManagerOptions, connection: PeerConnection, now: number): void => {
  const { stage, retiredAtMs, openedAtMs, receivedAtMs, statusSentAtMs } = connection
  if (retiredAtMs !== undefined && now - retiredAtMs > DUPLICATE_LINGER_MS)
    void finishConnection(options, connection)
  else if (stage === 'handshake' && now - openedAtMs > HANDSHAKE_TIMEOUT_MS)
    abortConnection(connection, 'handshake timed out')
  else if (now - receivedAtMs > SILENCE_MAX_MS)
    abortConnection(connection, `silent for ${SILENCE_MAX_MS / 1000} s`)
  else if (stage === 'established') {
    const refusal = refusalOf(options, connection)
    if (refusal !== undefined) {
      options.log.info('Disconnected {peer}: {reason}', { peer: nameOf(connection), reason: refusal })
      refuseConnection(options, connection, `refused: ${refusal}`)
    } else if (now - statusSentAtMs >= ALIVE_INTERVAL_MS)
      sendStatusMessage(options, connection, { kind: 'alive', timeMs: now })
  }
}

/**
 * Retires the worse one of two connections with a node, once the other side uses the better one and no message waits on the
 * worse one. The receiver of the goodbye closes it, so that messages in flight arrive.
 */
const retireDuplicates = (
  options: ConnectionManagerOptions,
  connections: readonly PeerConnection[],
  now: number,
): void => {
  const [best, ...duplicates] = connections
  if (best === undefined || !best.confirmed || now - best.establishedAtMs < DUPLICATE_GRACE_MS) return
  for (const duplicate of duplicates) {
    if (duplicate.stage !== 'established' || !isIdle(duplicate)) continue
    duplicate.stage = 'closing'
    duplicate.reason ??= DUPLICATE_CONNECTION
    duplicate.retiredAtMs = now
    sendStatusMessage(options, duplicate, {
      kind: 'goodbye',
      reason: DUPLICATE_CONNECTION,
      refused: false,
      enodes: [],
    })
  }
}

/** Sends keep-alive messages, ends silent, refused and duplicate connections. To be called once a second. */
export const superviseConnections = (connections: Connections): void => {
  const { options, byId } = connections
  const now = options.nowMs()
  const timeJumped = now < connections.tickedAtMs || now - connections.tickedAtMs > SUSPENSION_MS
  connections.tickedAtMs = now
  for (const connection of byId.values()) {
    if (timeJumped) {
      connection.receivedAtMs = now
      connection.statusSentAtMs = now - ALIVE_INTERVAL_MS
      connection.openedAtMs = Math.min(connection.openedAtMs, now)
    }
    supervise(options, connection, now)
  }
  for (const { connections: ofNode } of options.table.all()) retireDuplicates(options, ofNode, now)
}
