import { isQbftCode } from '../../../core/qbft/message.ts'
import type { Address } from '../../../core/bytes/bytes.ts'
import { toBareHex } from '../../../core/bytes/hex.ts'
import { createConsensusRates } from '../../consensus.ts'
import type { EthPeer } from '../eth/ethPeer.ts'
import { ETH_MESSAGE_BYTES_MAX } from '../session/messageLimits.ts'
import type { Devp2pNode } from './devp2pNode.ts'

/** Interval between two reports of a peer that sends more than allowed. */
const REPORT_INTERVAL_MS = 1000

/** QBFT messages over istanbul/100. */
export type ConsensusMessages = {
  /** Queues a message for the connected ones of these nodes; returns their number. */
  send(to: readonly Address[], code: number, data: Uint8Array): number
  receive(peer: EthPeer, code: number, data: Uint8Array): void
  /** When this node last sent one. */
  readonly sentAtMs: number
}

export const createConsensusMessages = (node: Devp2pNode): ConsensusMessages => {
  const { options, handlers, scoring } = node
  const { nowMs } = options
  const rates = createConsensusRates(nowMs)
  const state = { sentAtMs: Number.NEGATIVE_INFINITY, reportedAtMs: Number.NEGATIVE_INFINITY }

  const sendTo = (address: Address, code: number, payload: Uint8Array): boolean => {
    const session = node.table.get(toBareHex(address))?.session
    const istanbul = session?.agreed?.istanbul
    if (session === undefined || istanbul === undefined) return false
    return session.outbox.send('consensus', { id: istanbul.offset + code, payload })
  }

  return {
    get sentAtMs() {
      return state.sentAtMs
    },
    send: (to, code, data) => {
      state.sentAtMs = nowMs()
      // A peer that gets any other code disconnects for good.
      if (!isQbftCode(code) || data.length > ETH_MESSAGE_BYTES_MAX) return 0
      return to.filter(address => sendTo(address, code, data)).length
    },
    receive: ({ session, peer }, code, data) => {
      // IBFT's own message and codes of other versions are ignored.
      if (!isQbftCode(code) || scoring.isBanned(session.id)) return
      const rate = rates(session.id, handlers.roleOf(session.address))
      if (rate.messages.take(1) === 0 && rate.bytes.take(data.length) === 0)
        return handlers.onConsensusMessage(peer, code, data)
      if (nowMs() - state.reportedAtMs < REPORT_INTERVAL_MS) return
      state.reportedAtMs = nowMs()
      session.events.onMisbehaviour(session, 'flooding', 'more consensus messages than allowed')
    },
  }
}
