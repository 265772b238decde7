import { describe, expect, test } from 'bun:test'
import type { ForkName } from '../../../../core/genesis/fork.ts'
import { forkIsAtLeast } from '../../../../core/genesis/fork.ts'
import { assemble, CONTRACT, address, deploying, inMemory, reasonOf, run, slotOf, word } from './support.ts'

type Price = { gas: bigint; refund: bigint }

type NetPrices = {
  readonly load: bigint
  readonly reset: bigint
  readonly clear: bigint
  readonly cold: bigint
}

/** SLOAD_GAS, SSTORE_RESET_GAS and SSTORE_CLEARS_SCHEDULE as the EIPs name them, and COLD_SLOAD_COST. */
const netPrices = (fork: ForkName): NetPrices => {
  if (fork === 'constantinople') return { load: 200n, reset: 5000n, clear: 15_000n, cold: 0n }
  if (fork === 'istanbul') return { load: 800n, reset: 5000n, clear: 15_000n, cold: 0n }
  const clear = forkIsAtLeast(fork, 'london') ? 4800n : 15_000n
  return { load: 100n, reset: 2900n, clear, cold: 2100n }
}

/** EIP-2200's specification word by word, with the numbers of EIP-1283, EIP-2929 and EIP-3529. */
const netPrice = (fork: ForkName, original: number, values: readonly number[]): Price => {
  const { load, reset, clear, cold } = netPrices(fork)
  const price = { gas: cold, refund: 0n }
  let current = original
  for (const next of values) {
    if (current === next) price.gas += load
    else if (original === current) {
      price.gas += original === 0 ? 20_000n : reset
      if (original !== 0 && next === 0) price.refund += clear
    } else {
      price.gas += load
      if (original !== 0) {
        if (current === 0) price.refund -= clear
        if (next === 0) price.refund += clear
      }
      if (original === next) price.refund += original === 0 ? 20_000n - load : reset - load
    }
    current = next
  }
  return price
}

/** The Yellow Paper's before EIP-1283, and again in Petersburg (EIP-1716). */
const grossPrice = (original: number, values: readonly number[]): Price => {
  const price = { gas: 0n, refund: 0n }
  let current = original
  for (const next of values) {
    price.gas += current === 0 && next !== 0 ? 20_000n : 5000n
    if (current !== 0 && next === 0) price.refund += 15_000n
    current = next
  }
  return price
}

/** Every sequence of up to four values out of three. */
const SEQUENCES: readonly (readonly number[])[] = (() => {
  const sequences: number[][] = [[]]
  for (let i = 0; i < sequences.length; i++) {
    const sequence = sequences[i] as number[]
    if (sequence.length < 4) for (const next of [0, 1, 2]) sequences.push([...sequence, next])
  }
  return sequences.filter(sequence => sequence.length > 0)
})()

/** Work that earns no refund, so that no refund is cut: a log of 25,600 bytes. */
const WORK = '25600 0 LOG0'
const WORK_GAS = 6n + 375n + 8n * 25_600n + 3n * 800n + 800n ** 2n / 512n

describe('given one slot that SSTORE writes repeatedly', () => {
  const check = (fork: ForkName, priceOf: (original: number, values: readonly number[]) => Price): void => {
    for (const original of [0, 1])
      for (const values of SEQUENCES) {
        const outcome = run(`${WORK} ${values.map(value => `${value} 7 SSTORE`).join(' ')}`, {
          fork,
          contract: { storage: { 7: BigInt(original) } },
        })
        const pushes = 6n * BigInt(values.length)
        const paid = { gas: outcome.gas - WORK_GAS - pushes, refund: outcome.refund }
        expect({ original, values, ...paid }).toEqual({ original, values, ...priceOf(original, values) })
        expect(slotOf(outcome.chain.world(), CONTRACT, 7)).toBe(BigInt(values.at(-1) as number))
      }
  }

  test.each([['frontier'], ['tangerineWhistle'], ['byzantium'], ['petersburg']] as const)(
    'when the values are %s, then gas and refund follow EIP-2200 and its successors',
    fork => {
      check(fork, grossPrice)
    },
  )

  test.each([['constantinople'], ['istanbul'], ['berlin'], ['london']] as const)(
    'when the fork prices by change (%s), then gas and refund follow',
    fork => {
      check(fork, (original, values) => netPrice(fork, original, values))
    },
  )
})

describe('given the original value of a slot', () => {
  test('when a transaction follows another in a block, then it is the value after that one', () => {
    const { chain } = run('CALLDATASIZE 7 SSTORE', { fork: 'london' })
    const one = chain.send({ data: new Uint8Array(1) })
    const two = chain.send({ data: new Uint8Array(2) })
    const none = chain.send()
    expect(one.gasUsedMax).toBe(21_000n + 4n + 5n + 22_100n)
    expect(two.gasUsedMax).toBe(21_000n + 8n + 5n + 5000n)
    expect([none.gasUsedMax, none.gasUsedMax - none.gasUsed]).toEqual([26_005n, 4800n])
  })

  test('when the transaction writes more than once, then it stays the first', () => {
    const { chain } = run('CALLDATASIZE 7 SSTORE CALLDATASIZE 1 ADD 7 SSTORE', { fork: 'london' })
    const again = chain.send({ data: new Uint8Array(3) })
    expect(slotOf(chain.world(), CONTRACT, 7)).toBe(4n)
    expect(again.gasUsedMax).toBe(21_000n + 12n + 5n + 5000n + 11n + 100n)
  })

  test('when calls fail, then it stays; their gas is gone, refund and change are undone', () => {
    const other = address(0x07e5)
    const call = `${WORK} 0 0 0 0 0x07e5 500000 DELEGATECALL POP`
    const options = (code: string) =>
      ({
        fork: 'london',
        contract: { storage: { 7: 1n } },
        others: [[other, { code: assemble(code) }]],
      }) as const
    const kept = run(`${call} 2 7 SSTORE`, options('0 7 SSTORE'))
    expect([kept.refund, slotOf(kept.chain.world(), CONTRACT, 7)]).toEqual([0n, 2n])
    const undone = run(`${call} 0 7 SSTORE`, options('2 7 SSTORE 0 7 SSTORE 0 0 REVERT'))
    expect([undone.refund, slotOf(undone.chain.world(), CONTRACT, 7)]).toEqual([4800n, 0n])
    const failedOnly = run(call, options('0 7 SSTORE 0 0 REVERT'))
    expect([failedOnly.refund, slotOf(failedOnly.chain.world(), CONTRACT, 7)]).toEqual([0n, 1n])
  })

  test('when the contract was created in the transaction, then it is zero', () => {
    const created = inMemory(deploying(assemble('0 7 SSTORE')))
    const size = deploying(assemble('0 7 SSTORE')).length
    const { refund, success } = run(
      `${created} ${size} 0 0 CREATE 0 0 0 0 0 DUP6 500000 CALL POP 1 7 SSTORE 0 7 SSTORE ${WORK}`,
      { fork: 'london' },
    )
    expect(success).toBe(true)
    expect(refund).toBe(19_900n)
  })
})

describe('given warm slots (EIP-2929)', () => {
  const load = 2100n
  test('when a slot is accessed, then it is warm by account and slot until the end of the transaction', () => {
    const { chain, gas } = run('7 SLOAD 7 SLOAD 8 SLOAD POP POP POP', { fork: 'berlin' })
    expect(gas).toBe(9n + 6n + load + 100n + load)
    expect(chain.send().gasUsed).toBe(21_000n + gas)
  })

  test('when an access list has slots, then those of that account alone are warm (EIP-2930)', () => {
    const accessList = (at: number) => [{ address: address(at), storageKeys: [word(7)] }]
    const cost = 2400n + 1900n
    const named = run('7 SLOAD', { transaction: { type: 1, accessList: accessList(0xc0de) } })
    expect(named.gas).toBe(cost + 3n + 100n)
    const other = run('7 SLOAD', { transaction: { type: 1, accessList: accessList(0x07e5) } })
    expect(other.gas).toBe(cost + 3n + load)
    const twice = run('7 SLOAD', {
      transaction: { type: 1, accessList: [...accessList(0xc0de), ...accessList(0xc0de)] },
    })
    expect(twice.gas).toBe(2n * cost + 3n + 100n)
  })

  test('when a call fails, then listed slots stay warm', () => {
    const { gas } = run('0 0 0 0 0xc0de2 60000 DELEGATECALL 7 SLOAD', {
      others: [[address(0xc0de2), { code: assemble('7 SLOAD 0 0 REVERT') }]],
      transaction: { type: 1, accessList: [{ address: CONTRACT, storageKeys: [word(7)] }] },
    })
    expect(gas).toBe(4300n + 18n + 2600n + 3n + 100n + 6n + 3n + 100n)
  })
})

test('given a write without enough gas, when it halts, then the slot is unchanged', () => {
  const outcome = run('2 7 SSTORE', {
    contract: { storage: { 7: 1n } },
    transaction: { gasLimit: 21_000n + 6n + 4999n },
  })
  expect(reasonOf(outcome)).toBe('Out of gas')
  expect(slotOf(outcome.chain.world(), CONTRACT, 7)).toBe(1n)
  expect(outcome.chain.seal().accounts.flatMap(change => change.slots)).toEqual([])
})
