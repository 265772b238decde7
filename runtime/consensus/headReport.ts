import type { Address } from '../../core/bytes/bytes.ts'
import type { HeadContext } from '../../core/qbft/input.ts'
import type { Log } from '../logging/log.ts'
import { standing } from './validatorRole.ts'

/** A head farther in the future than this means that the clock of the machine is wrong, not early. */
const CLOCK_BEHIND_MS = 60_000

export type HeadReportOptions = {
  readonly address: Address
  /** False where the node talks to no others. */
  readonly connects: boolean
  /** Why this node must not sign although it were a validator; undefined when it may. */
  readonly refusal: string | undefined
  readonly log: Log
}

/** Tells what this node is to each next block when that changes, and what keeps it from being made. */
export const createHeadReport = ({ address, connects, refusal, log }: HeadReportOptions) => {
  let toldStanding = ''
  return (head: HeadContext): void => {
    const { makesBlocks, text } = standing(head.validators, address, connects)
    if (text !== toldStanding) {
      toldStanding = text
      log[makesBlocks ? 'info' : 'warn'](text)
      if (makesBlocks && refusal !== undefined)
        log.error('It takes no part all the same: {refusal}', { refusal })
    }
    const waitMs = head.readyAtMs - Date.now()
    if (waitMs > CLOCK_BEHIND_MS + head.periodMs)
      log.warn(
        'Block {number} has to wait {seconds} s: the head is from the future. Check the clock of this machine.',
        { number: head.number + 1n, seconds: Math.round(waitMs / 1000) },
      )
  }
}
