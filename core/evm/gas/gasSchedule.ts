import type { ForkName } from '../../genesis/fork.ts'
import { forkIsAtLeast } from '../../genesis/fork.ts'
import { OPCODES, GAS_CHANGES } from '../interpreter/opcodes.ts'

/**
 * Pricing of SSTORE: by old and new value (`gross`), or by net change in the transaction (EIP-1283, EIP-2200, EIP-2929).
 */
export type SstorePricing = 'gross' | 'eip1283' | 'eip2200' | 'eip2929'

/** The rules of a fork, resolved once, so that the interpreter never compares forks. */
export type GasSchedule = {
  readonly fork: ForkName
  /** Fixed gas by opcode byte. */
  readonly gas: Int32Array
  /** 1 for each opcode byte that the fork knows. */
  readonly known: Uint8Array
  /** EIP-2: a creation that cannot pay for its code fails; a creation by transaction costs 32,000 more. */
  readonly isHomestead: boolean
  /** EIP-150: a call receives at most all but a 64th of the gas. */
  readonly eip150: boolean
  /** EIP-161 and EIP-170: empty accounts are removed, contracts begin with nonce 1, code has a size limit. */
  readonly eip158: boolean
  /** EIP-160. */
  readonly expByteGas: number
  readonly sstore: SstorePricing
  /** EIP-2929. */
  readonly eip2929: boolean
  /** EIP-3529: smaller refunds. */
  readonly isLondon: boolean
  /** EIP-3651 and EIP-3860. */
  readonly isShanghai: boolean
  readonly isParis: boolean
  /** EIP-6780. */
  readonly isCancun: boolean
  /** EIP-7702 and EIP-7623. */
  readonly isPrague: boolean
  /** EIP-7825 and EIP-7594. */
  readonly isOsaka: boolean
  /** EIP-2028. */
  readonly dataByteGas: number
}

const sstorePricing = (fork: ForkName): SstorePricing => {
  if (forkIsAtLeast(fork, 'berlin')) return 'eip2929'
  if (forkIsAtLeast(fork, 'istanbul')) return 'eip2200'
  return fork === 'constantinople' ? 'eip1283' : 'gross'
}

const createSchedule = (fork: ForkName): GasSchedule => {
  const has = (since: ForkName): boolean => forkIsAtLeast(fork, since)
  const gas = new Int32Array(256)
  const known = new Uint8Array(256)
  for (const opcode of OPCODES) {
    if (opcode === undefined || !has(opcode.since)) continue
    known[opcode.byte] = 1
    gas[opcode.byte] = opcode.gas
    for (const [since, prices] of GAS_CHANGES)
      if (has(since)) gas[opcode.byte] = prices[opcode.name] ?? (gas[opcode.byte] as number)
  }
  return {
    fork,
    gas,
    known,
    isHomestead: has('homestead'),
    eip150: has('tangerineWhistle'),
    eip158: has('spuriousDragon'),
    expByteGas: has('spuriousDragon') ? 50 : 10,
    sstore: sstorePricing(fork),
    eip2929: has('berlin'),
    isLondon: has('london'),
    isShanghai: has('shanghai'),
    isParis: has('paris'),
    isCancun: has('cancun'),
    isPrague: has('prague'),
    isOsaka: has('osaka'),
    dataByteGas: has('istanbul') ? 16 : 68,
  }
}

/** Created when they are first used: those of all forks would take a tenth of the start of a Worker. */
const schedules = new Map<ForkName, GasSchedule>()

let last: GasSchedule | undefined

export const scheduleOf = (fork: ForkName): GasSchedule => {
  // Called several times for each transaction, nearly always with the same fork.
  if (last?.fork === fork) return last
  last = schedules.get(fork) ?? createSchedule(fork)
  schedules.set(fork, last)
  return last
}
