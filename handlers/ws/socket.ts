/** One open WebSocket of any runtime. No function throws once it is closed. */
export type Socket = {
  /** Queues a text message, compressed if requested and supported by the client. */
  send(text: string, isCompressed: boolean): void
  /**
   * Queues part of a text message, of whole characters; only parts may be sent until the last one. Undefined where the runtime
   * sends whole messages only.
   */
  readonly sendPart?: (bytes: Uint8Array, isLast: boolean) => void
  /** Bytes that are queued and not yet taken by the network. */
  bufferedBytes(): number
  /** Closes with the handshake, after everything that is queued. The reason has at most 123 bytes. */
  close(code: number, reason: string): void
  /** Closes immediately and discards queued messages. */
  terminate(): void
}

/** Events of an open WebSocket; called in order, and never after `closed`. */
export type Session = {
  message(text: string): void
  closed(): void
}

/** A granted upgrade: the selected subprotocol, and the function that starts the session. */
export type Upgrade = {
  readonly protocol: string | undefined
  open(socket: Socket): Session
}

/** Close codes of RFC 6455 and its registry. */
export const CLOSE_CODES = {
  goingAway: 1001,
  policyViolation: 1008,
  messageTooBig: 1009,
  tryAgainLater: 1013,
} as const
