import type { Address } from '../../../core/bytes/bytes.ts'
import type { HeadContext } from '../../../core/qbft/input.ts'
import type { Log } from '../../logging/log.ts'
import { validatorRole } from '../validatorRole.ts'

/** A head further in the future than this means that the clock of this machine is wrong. */
const CLOCK_BEHIND_MS = 60_000

export type HeadReportOptions = {
  readonly address: Address
  /** False without a network. */
  readonly connects: boolean
  /** Why this node must not sign even as a validator; undefined if it may. */
  readonly refusal: string | undefined
  readonly log: Log
}

/** Logs the validator role of this node when it changes, and warns about a head from the future. */
export const createHeadReport = ({ address, connects, refusal, log }: HeadReportOptions) => {
  let loggedRole = ''
  let madeBlocks = false
  return (head: HeadContext): void => {
    const { makesBlocks, text } = validatorRole(head.validators, address, connects)
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
