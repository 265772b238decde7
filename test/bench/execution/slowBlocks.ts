import { code, type Part } from '../../core/evm/harness.ts'

const MEGABYTE = 2 ** 20

export type SlowBlock = {
  /** What each transaction of the block calls. */
  readonly code: Uint8Array
  /** Transactions. */
  readonly count?: number
  /** Of each transaction. */
  readonly gas?: bigint
  /** Takes more than a few seconds. */
  readonly isLong?: boolean
}

/** Repeats the body, which finds the number of rounds left on the stack and leaves it there. */
const rounds = (count: number, ...body: readonly Part[]): Uint8Array =>
  code(count, [
    ['JUMPDEST', body, 1, 'SWAP1 SUB DUP1'],
    [count < 256 ? 2 : count < 65_536 ? 3 : 4, 'JUMPI STOP'],
  ])

/** The code with zeros behind it, so that it has 16 MB. */
const padded = (short: Uint8Array): Uint8Array => {
  const long = new Uint8Array(16 * MEGABYTE)
  long.set(short)
  return long
}

/** Blocks that take long to execute, to hash or to store, by what is in them. */
export const SLOW_BLOCKS: Readonly<Record<string, SlowBlock>> = {
  'a short loop': { code: rounds(100_000, 'GAS POP') },
  '20,000 logs': { code: rounds(20_000, 0, 0, 'LOG0') },
  '90,000 logs with 4 topics': { code: rounds(90_000, 1, 2, 3, 'DUP4', 0, 0, 'LOG4') },
  '16 logs of 256 KB': { code: rounds(16, MEGABYTE / 4, 0, 'LOG0') },
  'a log of 4 MB': { code: rounds(1, 4 * MEGABYTE, 0, 'LOG0') },
  '20 receipts with a log of 4 MB': {
    code: rounds(1, 4 * MEGABYTE, 0, 'LOG0'),
    count: 20,
    gas: 10n ** 12n,
  },
  '45,000 slots': { code: rounds(45_000, 'DUP1 DUP1 SSTORE') },
  '300,000 slots': { code: rounds(300_000, 'DUP1 DUP1 SSTORE'), isLong: true },
  '1,000,000 transient slots': { code: rounds(1_000_000, 'DUP1 DUP1 TSTORE') },
  '1,000,000 cold accounts': { code: rounds(1_000_000, 'DUP1 DUP1 ADD BALANCE POP'), isLong: true },
  '40,000 new accounts': { code: rounds(40_000, 0, 0, 0, 0, 1, 'DUP6', 2 ** 30, 'ADD', 0, 'CALL POP') },
  '256 MB of memory': { code: rounds(256, ['MSIZE', MEGABYTE, 'ADD', 1, 'SWAP1 MSTORE']) },
  'a hash of 64 MB': { code: rounds(1, 64 * MEGABYTE, 0, 'KECCAK256 POP') },
  '1,024 calls that give back 1 MB each': {
    code: code([0, 0, 0, 0, 0, 'ADDRESS GAS CALL POP'], [MEGABYTE, 0, 'REVERT']),
  },
  '10,000 self-destructs': {
    code: rounds(10_000, [0x33ffn << 240n, 0, 'MSTORE'], [2, 0, 0, 'CREATE POP']),
  },
  'a run through 16 MB of code': { code: new Uint8Array(16 * MEGABYTE).fill(0x5b) },
  '20 copies of 16 MB of code': { code: padded(rounds(20, 16 * MEGABYTE, 0, 0, 'ADDRESS EXTCODECOPY')) },
  'the creation of 16 MB of code': {
    // The initialization code is: PUSH4 of the size, PUSH1 0, RETURN.
    code: code([0x63_0100_0000_6000_f3n << 192n, 0, 'MSTORE'], [8, 0, 0, 'CREATE POP']),
  },
  '15,000 transactions': { code: code('STOP'), count: 15_000, gas: 50_000n },
}
