/** Consensus messages since the start, what they weighed. */
export type TrafficTotals = {
  readonly messagesSent: number
  readonly bytesSent: number
  readonly messagesReceived: number
  readonly bytesReceived: number
}

export type Traffic = {
  sent(messages: number, bytes: number): void
  received(bytes: number): void
  totals(): TrafficTotals
}

/** Counts messages to each receiver, so that an operator sees what agreement costs. */
export const createTraffic = (): Traffic => {
  let totals: TrafficTotals = { messagesSent: 0, bytesSent: 0, messagesReceived: 0, bytesReceived: 0 }
  return {
    sent: (messages, bytes) => {
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
