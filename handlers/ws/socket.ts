/** One open WebSocket, whatever runtime it runs on. Nothing throws once it is closed. */
export type Socket = {
  /** Queues a text message, compressed where that is asked for and the client offered it. */
  send(text: string, isCompressed: boolean): void
  /**
   * Queues part of a text message, whole characters of it; nothing but parts is sent until the last of them. Undefined where the
   * runtime takes whole messages only.
   */
  readonly sendPart?: (bytes: Uint8Array, isLast: boolean) => void
  /** What is queued and not yet taken by the network. */
  bufferedBytes(): number
  /** Closes with the handshake, behind everything that is queued. The reason has at most 123 bytes. */
  close(code: number, reason: string): void
  /** Closes at once and throws away what is queued. */
  terminate(): void
}

/** What happens on an open WebSocket; called in order, and never after `closed`. */
export type Session = {
  message(text: string): void
  closed(): void
}

/** A granted upgrade: the subprotocol that is selected, and what begins when the socket is open. */
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
