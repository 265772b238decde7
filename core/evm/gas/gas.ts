import { minBigint } from '../../bytes/integer.ts'
import type { Frame } from '../frames/frame.ts'
import { bigintAt, numbers } from '../interpreter/stack.ts'

/**
 * The interpreter counts gas in doubles, which are exact up to 2^53 - 1. Gas above that is in the frame's `gasReserve`,
 * which only calls and returns change: no frame can spend 2^53 gas by running, but it can receive or lose more.
 */
const RUNNING_GAS_MAX = BigInt(Number.MAX_SAFE_INTEGER)

export const gasOf = (frame: Frame): bigint => BigInt(frame.gas) + frame.gasReserve

export const setGas = (frame: Frame, total: bigint): void => {
  const running = minBigint(total, RUNNING_GAS_MAX)
  frame.gas = Number(running)
  frame.gasReserve = total - running
}

/**
 * Moves gas from a frame to its `calleeGas`: the requested amount, or all but a 64th if that is less (EIP-150). Before
 * EIP-150, returns false when the frame has less than requested. `requested` is the index of a stack item; -1 requests all.
 */
export const takeGas = (frame: Frame, eip150: boolean, requested: number): boolean => {
  if (frame.gasReserve !== 0n) return takeFromReserve(frame, eip150, requested)
  const available = eip150 ? frame.gas - Math.floor(frame.gas / 64) : frame.gas
  const isLess = requested >= 0 && numbers[requested]! <= available
  if (!isLess && !eip150 && requested >= 0) return false
  frame.calleeGas = isLess ? numbers[requested]! : available
  frame.calleeGasReserve = 0n
  frame.gas -= frame.calleeGas
  return true
}

const takeFromReserve = (frame: Frame, eip150: boolean, requested: number): boolean => {
  const total = gasOf(frame)
  const available = eip150 ? total - total / 64n : total
  const requestedGas = requested >= 0 ? bigintAt(requested) : available
  if (requestedGas > available && !eip150) return false
  const given = minBigint(requestedGas, available)
  setGas(frame, total - given)
  const running = minBigint(given, RUNNING_GAS_MAX)
  frame.calleeGas = Number(running)
  frame.calleeGasReserve = given - running
  return true
}

/** Gives the callee the gas that `takeGas` took. */
export const giveGas = (caller: Frame, callee: Frame, stipend: number): void => {
  callee.gas = caller.calleeGas + stipend
  callee.gasReserve = caller.calleeGasReserve
  if (callee.gasReserve !== 0n)
    setGas(callee, BigInt(caller.calleeGas) + caller.calleeGasReserve + BigInt(stipend))
}

/** Returns gas to a frame: the gas that a callee left, or all that was taken for a callee that could not run. */
export const returnGas = (frame: Frame, running: number, reserve: bigint): void => {
  const sum = frame.gas + running
  if (sum <= Number.MAX_SAFE_INTEGER && frame.gasReserve === 0n && reserve === 0n) frame.gas = sum
  else setGas(frame, gasOf(frame) + BigInt(running) + reserve)
}

/** Sets the (negative) gas left of a frame that halts for lack of gas. */
export const outOfGas = (frame: Frame, gas: number): undefined => {
  frame.gas = gas
  return undefined
}
