import type { ForkName } from '../../genesis/fork.ts'
import { FORKS, forkIsAtLeast } from '../../genesis/fork.ts'
import { OPCODES, REPRICED } from '../interpreter/opcodes.ts'

/** How SSTORE is priced: by the two values, or net of the whole transaction by EIP-1283, EIP-2200 or EIP-2929. */
export type SstorePricing = 'gross' | 'eip1283' | 'eip2200' | 'eip2929'

/** What a fork's rules come to, resolved once so that nothing asks for a fork while it runs. */
export type Schedule = {
  readonly fork: ForkName
  /** Fixed gas by opcode byte. */
  readonly gas: Int32Array
  /** 1 for each opcode byte that the fork knows. */
  readonly known: Uint8Array
  /** EIP-2: a contract whose deposit cannot be paid is not made; CREATE by transaction costs 32,000 more. */
  readonly isHomestead: boolean
  /** EIP-150: a call gets at most all but a 64th. */
  readonly eip150: boolean
  /** EIP-161 and EIP-170: empty accounts go, contracts begin with nonce 1, code has a size limit. */
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

const createSchedule = (fork: ForkName): Schedule => {
  const has = (since: ForkName): boolean => forkIsAtLeast(fork, since)
  const gas = new Int32Array(256)
  const known = new Uint8Array(256)
  for (const opcode of OPCODES) {
    if (opcode === undefined || !has(opcode.since)) continue
    known[opcode.byte] = 1
    gas[opcode.byte] = opcode.gas
    for (const [since, prices] of REPRICED)
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

const SCHEDULES: ReadonlyMap<ForkName, Schedule> = new Map(FORKS.map(fork => [fork, createSchedule(fork)]))

let last = SCHEDULES.get('frontier') as Schedule

export const scheduleOf = (fork: ForkName): Schedule => {
  // Asked several times for each transaction, and nearly always for the same fork.
  if (last.fork !== fork) last = SCHEDULES.get(fork) as Schedule
  return last
}
