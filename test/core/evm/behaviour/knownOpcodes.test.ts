import { describe, expect, test } from 'bun:test'
import { FORKS, type ForkName, forkIsAtLeast } from '../../../../core/genesis/fork.ts'
import { reasonOf, run } from './support.ts'

/** Bytes that are instructions, by the fork that brought them; ranges inclusive. From the Yellow Paper and the EIPs named. */
const BROUGHT: readonly (readonly [since: ForkName, first: number, last?: number])[] = [
  ['frontier', 0x00, 0x0b],
  ['frontier', 0x10, 0x1a],
  ['frontier', 0x20],
  ['frontier', 0x30, 0x3c],
  ['frontier', 0x40, 0x45],
  ['frontier', 0x50, 0x5b],
  ['frontier', 0x60, 0x9f],
  ['frontier', 0xa0, 0xa4],
  ['frontier', 0xf0, 0xf3],
  ['frontier', 0xff],
  // EIP-7 DELEGATECALL.
  ['homestead', 0xf4],
  // EIP-211 RETURNDATASIZE and RETURNDATACOPY, EIP-214 STATICCALL, EIP-140 REVERT.
  ['byzantium', 0x3d, 0x3e],
  ['byzantium', 0xfa],
  ['byzantium', 0xfd],
  // EIP-145 shifts, EIP-1052 EXTCODEHASH, EIP-1014 CREATE2.
  ['constantinople', 0x1b, 0x1d],
  ['constantinople', 0x3f],
  ['constantinople', 0xf5],
  // EIP-1344 CHAINID, EIP-1884 SELFBALANCE.
  ['istanbul', 0x46, 0x47],
  // EIP-3198 BASEFEE.
  ['london', 0x48],
  // EIP-3855 PUSH0.
  ['shanghai', 0x5f],
  // EIP-4844 BLOBHASH, EIP-7516 BLOBBASEFEE, EIP-1153 TLOAD and TSTORE, EIP-5656 MCOPY.
  ['cancun', 0x49, 0x4a],
  ['cancun', 0x5c, 0x5e],
  // EIP-7939 CLZ.
  ['osaka', 0x1e],
]

const sinceOf = (byte: number): ForkName | undefined =>
  BROUGHT.find(([, first, last = first]) => first <= byte && byte <= last)?.[0]

/** Enough operands for any instruction. */
const OPERANDS = '0 '.repeat(17)

describe.each(FORKS.map(fork => [fork]))('given %s', fork => {
  test('when a byte is not an instruction of the fork, then it halts and loses all gas', () => {
    const gasLimit = 200_000n
    for (let byte = 0; byte < 256; byte++) {
      const since = sinceOf(byte)
      const isKnown = since !== undefined && forkIsAtLeast(fork, since)
      const code = new Uint8Array([...Array.from({ length: 17 }, () => [0x60, 0]).flat(), byte])
      const outcome = run(code, { fork, transaction: { gasLimit } })
      const isUnknown = reasonOf(outcome) === `Invalid opcode: 0x${byte.toString(16).padStart(2, '0')}`
      expect([byte, isUnknown ? 'unknown' : 'known']).toEqual([byte, isKnown ? 'known' : 'unknown'])
      if (!isKnown) expect([byte, outcome.gasUsed]).toEqual([byte, gasLimit])
    }
  })

  test('when an unknown byte is never reached, then it does no harm', () => {
    expect(reasonOf(run(`${OPERANDS} STOP INVALID`, { fork }))).toBeUndefined()
    expect(reasonOf(run('@end JUMP INVALID end:', { fork }))).toBeUndefined()
  })
})
