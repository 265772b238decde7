import { minBigint } from '../../bytes/integer.ts'
import type { Frame } from '../frames/frame.ts'
import { bigintAt, num } from '../interpreter/stack.ts'

/**
 * The interpreter counts gas in doubles, which are exact up to 2^53 - 1. What a frame has beyond that lies in its reserve,
 * and only calls and returns move it: no frame can spend 2^53 gas by itself, but it can be given or burn more.
 */
const RUNNING_GAS_MAX = BigInt(Number.MAX_SAFE_INTEGER)

export const gasOf = (frame: Frame): bigint => BigInt(frame.gas) + frame.reserve

export const setGas = (frame: Frame, total: bigint): void => {
  const running = minBigint(total, RUNNING_GAS_MAX)
  frame.gas = Number(running)
  frame.reserve = total - running
}

/**
 * Moves gas from a frame to its `given`, for a callee: as much as is wanted, or all but a 64th where that is less
 * (EIP-150). False where the rules keep no 64th and there is too little. `wanted` is a stack item; -1 wants all.
 */
export const takeGas = (frame: Frame, eip150: boolean, wanted: number): boolean => {
  if (frame.reserve !== 0n) return takeFromReserve(frame, eip150, wanted)
  const most = eip150 ? frame.gas - Math.floor(frame.gas / 64) : frame.gas
  const isLess = wanted >= 0 && num[wanted]! <= most
  if (!isLess && !eip150 && wanted >= 0) return false
  frame.given = isLess ? num[wanted]! : most
  frame.givenReserve = 0n
  frame.gas -= frame.given
  return true
}

const takeFromReserve = (frame: Frame, eip150: boolean, wanted: number): boolean => {
  const total = gasOf(frame)
  const most = eip150 ? total - total / 64n : total
  const wantedGas = wanted >= 0 ? bigintAt(wanted) : most
  if (wantedGas > most && !eip150) return false
  const given = minBigint(wantedGas, most)
  setGas(frame, total - given)
  const running = minBigint(given, RUNNING_GAS_MAX)
  frame.given = Number(running)
  frame.givenReserve = given - running
  return true
}

/** Hands the gas that was taken to the callee. */
export const giveGas = (caller: Frame, callee: Frame, stipend: number): void => {
  callee.gas = caller.given + stipend
  callee.reserve = caller.givenReserve
  if (callee.reserve !== 0n) setGas(callee, BigInt(caller.given) + caller.givenReserve + BigInt(stipend))
}

/** Puts gas back: what a callee left, or what was taken for one that could not run. */
export const returnGas = (frame: Frame, running: number, reserve: bigint): void => {
  const sum = frame.gas + running
  if (sum <= Number.MAX_SAFE_INTEGER && frame.reserve === 0n && reserve === 0n) frame.gas = sum
  else setGas(frame, gasOf(frame) + BigInt(running) + reserve)
}

/** Notes what is left, less than nothing, of a frame that has to halt for it. */
export const outOfGas = (frame: Frame, gas: number): undefined => {
  frame.gas = gas
  return undefined
}
