import type { HeightState } from './state.ts'
import type { RestartRecord } from './restartRecord.ts'
import { ask, type Turn } from './turn.ts'

/** What most disks need many times over to make a record durable, and little of the time that a block takes. */
const RESERVED_BEFORE_MS = 100

/**
 * Round 0 is reserved shortly before it begins, so that a restart at any other time finds nothing in doubt. Where it waits for
 * transactions nobody knows when that is: there what is signed in it waits for the disk.
 */
export const startReserveTimer = (turn: Turn, { head, sequence }: HeightState): void => {
  if (head.validators.length > 1 && head.emptyAtMs <= head.readyAtMs)
    ask(turn, {
      kind: 'start-timer',
      timer: { kind: 'reserve', sequence },
      atMs: head.readyAtMs - RESERVED_BEFORE_MS,
    })
}

const isUntouched = ({ round, proposed, prepared, committed }: RestartRecord): boolean =>
  round === 0 && proposed === undefined && prepared === undefined && committed === undefined

/**
 * Writes down, durably and ahead of time, that something may be signed in round 0. Its proposal and its prepare then need not
 * wait for the disk: should the record of them be lost, the reservation says that they may have been.
 */
export const reserve = (height: HeightState): HeightState =>
  isUntouched(height.signed) ? { ...height, signed: { ...height.signed, reserved: true } } : height
