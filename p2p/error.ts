export type NetworkErrorCode =
  /** The port is in use by another process. */
  | 'PORT_IN_USE'
  /** Listening on the address failed for another reason. */
  | 'LISTEN_FAILED'
  /** The peer is not connected, or disconnected meanwhile. */
  | 'NOT_CONNECTED'
  /** The peer was silent, or did not read, for too long. */
  | 'TIMEOUT'
  /** A message is larger than its protocol allows. */
  | 'OVERSIZED'
  /** A message violates its protocol. */
  | 'BAD_MESSAGE'

/** A failure between this node and another; the message is one line. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError'
  readonly code: NetworkErrorCode
  constructor(code: NetworkErrorCode, problem: string, options?: ErrorOptions) {
    super(problem, options)
    this.code = code
  }
}

/** Why a handshake may end before the other side has answered it. */
export const ENDED_HANDSHAKE =
  'the node there ended the handshake, as one does that runs with another --p2p-protocol'

/** Why a handshake fails where another node has the address, or the node has a new connection key. */
export const ANOTHER_KEY =
  'the node there has another key than its enode URL here; take the URL from the log of that node'
