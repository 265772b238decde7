import type { ConsensusObserver } from './observer.ts'

/** Number and bytes of consensus messages since the start. */
export type MessageTotals = {
  readonly messagesSent: number
  readonly bytesSent: number
  readonly messagesReceived: number
  readonly bytesReceived: number
}

export type MessageCounters = {
  /** A message of `bytes` bytes was queued for `messages` peers. */
  sent(code: number, messages: number, bytes: number): void
  received(bytes: number): void
  totals(): MessageTotals
}

/** Counts consensus messages, once per receiver, to show operators the cost of consensus. */
export const createMessageCounters = (observer?: Pick<ConsensusObserver, 'sent'>): MessageCounters => {
  let totals: MessageTotals = { messagesSent: 0, bytesSent: 0, messagesReceived: 0, bytesReceived: 0 }
  return {
    sent: (code, messages, bytes) => {
      observer?.sent(code, messages)
      const { messagesSent, bytesSent } = totals
      totals = { ...totals, messagesSent: messagesSent + messages, bytesSent: bytesSent + messages * bytes }
    },
    received: bytes => {
      const { messagesReceived, bytesReceived } = totals
      totals = { ...totals, messagesReceived: messagesReceived + 1, bytesReceived: bytesReceived + bytes }
    },
    totals: () => totals,
  }
}
