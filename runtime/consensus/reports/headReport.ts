import type { Address } from '../../../core/bytes/bytes.ts'
import type { HeadContext } from '../../../core/qbft/input.ts'
import type { Log } from '../../logging/log.ts'
import { ibft2History, validatorRole } from '../validatorRole.ts'

/** A head further in the future than this means that the clock of this machine is wrong. */
const CLOCK_BEHIND_MS = 60_000

export type HeadReportOptions = {
  readonly address: Address
  /** False without a network. */
  readonly connects: boolean
  /** Why this node must not sign even as a validator; undefined if it may. */
  readonly refusal: string | undefined
  /** The first block of QBFT after a history of IBFT 2.0; 0 without one. */
  readonly startBlock: bigint
  readonly log: Log
}

/** Logs the validator role of this node when it changes, and warns about a head from the future. */
export const createHeadReport = ({ address, connects, refusal, startBlock, log }: HeadReportOptions) => {
  let loggedRole = ''
  let madeBlocks = false
  return (head: HeadContext): void => {
    const history = ibft2History({ startBlock }, head.number + 1n)
    const { makesBlocks, text } =
      history === undefined
        ? validatorRole(head.validators, address, connects)
        : { makesBlocks: false, text: `This node makes no blocks yet: ${history}` }
    if (text !== loggedRole) {
      loggedRole = text
      // A node that follows need not be warned whenever the validators change.
      log[madeBlocks && !makesBlocks ? 'warn' : 'info'](text)
      madeBlocks = makesBlocks
      if (makesBlocks && refusal !== undefined)
        log.error('This validator does not take part in consensus: {refusal}', { refusal })
    }
    const waitMs = head.readyAtMs - Date.now()
    if (waitMs > CLOCK_BEHIND_MS + head.periodMs)
      log.warn(
        'Block {number} has to wait {seconds} s: the timestamp of the head is in the future. Check the clock of this machine.',
        { number: head.number + 1n, seconds: Math.round(waitMs / 1000) },
      )
  }
}
