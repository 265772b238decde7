import { describe, expect, test } from 'bun:test'
import { toBareHex } from '../../../../core/bytes/hex.ts'
import { bytesToBigint } from '../../../../core/bytes/integer.ts'
import { FORKS, type ForkName, forkIsAtLeast } from '../../../../core/genesis/fork.ts'
import { seededRandom } from '../../../support/random.ts'
import {
  address,
  assemble,
  BASE_FEE,
  BENEFICIARY,
  type Chain,
  CONTRACT,
  createChain,
  deploying,
  FIRST_BALANCE,
  GAS_PRICE,
  inMemory,
  reasonOf,
  run,
  SENDER,
  word,
} from './support.ts'

const allWei = (chain: Chain): bigint =>
  [...chain.state.accounts.values()].reduce((sum, account) => sum + account.balance, 0n)

describe('given the sum of all balances', () => {
  test.each(FORKS.map(fork => [fork]))('when %s, then it changes by the rules alone', fork => {
    const random = seededRandom(FORKS.indexOf(fork) + 1)
    const child = deploying(assemble('STOP'))
    const others = [1, 2, 3].map(i => address(0x2000 + i))
    const call = (wei: number) => `0 0 0 0 ${wei} 0x200${1 + random.below(4)} 60000 CALL POP`
    const code = (): Uint8Array => {
      const ends = ['STOP', 'INVALID', 'STOP', `0x200${1 + random.below(3)} SELFDESTRUCT`]
      const steps = Array.from({ length: random.below(4) }, () => call(random.below(50)))
      if (random.below(2) === 0)
        steps.push(`${inMemory(child)} ${child.length} 0 ${random.below(40)} CREATE POP`)
      return assemble(`${steps.join(' ')} ${ends[random.below(ends.length)] as string}`)
    }
    const chain = createChain(fork, [
      [CONTRACT, { code: code(), balance: 1000n, nonce: 1n }],
      ...others.map(at => [at, { code: code(), balance: 100n, nonce: 1n }] as const),
    ])
    const perGas = forkIsAtLeast(fork, 'london') ? BASE_FEE : 0n
    for (let block = 0; block < 6; block++) {
      const before = allWei(chain)
      let burnt = 0n
      for (let i = 0; i < 4; i++) {
        const to = [CONTRACT, ...others, SENDER, BENEFICIARY, undefined][random.below(7)]
        const { gasUsed } = chain.send({
          to,
          value: BigInt(random.below(100)),
          data: to === undefined ? child : new Uint8Array(0),
          gasLimit: 300_000n,
        })
        burnt += gasUsed * perGas
      }
      chain.seal()
      const after = allWei(chain)
      // No code here leaves to itself, so nothing is burnt with an account but what it gets after its SELFDESTRUCT.
      expect(after <= before - burnt).toBe(true)
      expect(before - burnt - after < 5000n).toBe(true)
      if (forkIsAtLeast(fork, 'cancun')) expect(after).toBe(before - burnt)
    }
  })
})

describe('given sender and beneficiary', () => {
  test('when a transaction pays its own sender, then it costs its fee alone', () => {
    const { chain, gasUsed } = run('STOP', { transaction: { to: SENDER, value: 5n } })
    expect(chain.world().balance(SENDER)).toBe(FIRST_BALANCE - gasUsed * GAS_PRICE)
  })

  test('when code reads the sender’s balance, then the gas is already paid', () => {
    const look = `0x${toBareHex(SENDER)} BALANCE 0 MSTORE 32 0 RETURN`
    const { value, chain, gasUsed } = run(look, { transaction: { gasLimit: 100_000n, value: 3n } })
    expect(value).toBe(FIRST_BALANCE - 100_000n * GAS_PRICE - 3n)
    expect(chain.world().balance(SENDER)).toBe(FIRST_BALANCE - gasUsed * GAS_PRICE - 3n)
  })

  test('when a transaction fails, then it pays for all gas; a reverted one pays for the used gas', () => {
    const failed = run('INVALID', { transaction: { gasLimit: 100_000n, value: 3n } })
    expect(failed.gasUsed).toBe(100_000n)
    expect(failed.chain.world().balance(SENDER)).toBe(FIRST_BALANCE - 100_000n * GAS_PRICE)
    const reverted = run('0 0 REVERT', { transaction: { gasLimit: 100_000n, value: 3n } })
    expect(reverted.gasUsed).toBe(21_006n)
    expect(reverted.chain.world().balance(CONTRACT)).toBe(0n)
  })

  test('when value moves and failed calls return it, then SELFBALANCE and BALANCE follow', () => {
    const look = (how: string, at: number) => `${how} ${at} MSTORE`
    const call = (to: string) => `0 0 0 0 4 ${to} 50000 CALL POP`
    const code = [
      look('SELFBALANCE', 0),
      call('0x2001'),
      look('SELFBALANCE', 32),
      look('ADDRESS BALANCE', 64),
      call('0x2002'),
      look('SELFBALANCE', 96),
      look('0x2002 BALANCE', 128),
      '160 0 RETURN',
    ].join(' ')
    const { output } = run(code, {
      contract: { balance: 10n },
      others: [
        [address(0x2001), { code: assemble('SELFBALANCE POP') }],
        [address(0x2002), { code: assemble('SELFBALANCE INVALID'), balance: 1n }],
      ],
      transaction: { value: 2n },
    })
    const seen = [0, 1, 2, 3, 4].map(i => Number(bytesToBigint(output.subarray(32 * i, 32 * i + 32))))
    expect(seen).toEqual([12, 8, 8, 8, 1])
  })

  test('when a transaction fails, then there is no refund', () => {
    const contract = { storage: { 1: 1n } }
    for (const end of ['0 0 REVERT', 'INVALID']) {
      const outcome = run(`0 1 SSTORE ${end}`, { fork: 'london', contract })
      expect([reasonOf(outcome) === undefined, outcome.refund]).toEqual([false, 0n])
    }
    expect(run('0 1 SSTORE', { fork: 'london', contract }).refund).toBe(4800n)
  })
})

describe('given the floor of EIP-7623', () => {
  const data = new Uint8Array(2000).fill(1)
  const floor = 21_000n + 40n * 2000n
  const standard = 21_000n + 16n * 2000n
  const used = (code: string, fork: ForkName = 'prague') =>
    run(code, { fork, contract: { storage: { 1: 1n, 2: 1n } }, transaction: { data } })

  test('when less was used, even after a refund, then the floor is paid', () => {
    expect(used('STOP').gasUsed).toBe(floor)
    expect(used('STOP', 'cancun').gasUsed).toBe(standard)
    const cleared = used('7000 0 LOG0 0 1 SSTORE')
    const work = 6n + 375n + 56_000n + 3n * 219n + 219n ** 2n / 512n + 6n + 5000n
    expect(standard + work > floor).toBe(true)
    expect(standard + work - 4800n > floor).toBe(true)
    expect(cleared.gasUsed).toBe(standard + work - 4800n)
    const less = used('5200 0 LOG0 0 1 SSTORE')
    const lessWork = 6n + 375n + 41_600n + 3n * 163n + 163n ** 2n / 512n + 6n + 5000n
    expect(standard + lessWork < floor).toBe(true)
    expect(less.gasUsed).toBe(floor)
    const between = used('5400 0 LOG0 0 1 SSTORE')
    const betweenWork = 6n + 375n + 43_200n + 3n * 169n + 169n ** 2n / 512n + 6n + 5000n
    expect(standard + betweenWork > floor && standard + betweenWork - 4800n < floor).toBe(true)
    expect(between.gasUsed).toBe(floor)
  })

  test('when the gas limit is below it, then the transaction is invalid', () => {
    const send = (gasLimit: bigint) => run('STOP', { fork: 'prague', transaction: { data, gasLimit } })
    expect(() => send(floor - 1n)).toThrow(/gas limit/)
    expect(send(floor).success).toBe(true)
  })
})

test('given a program, when it gets one gas less than it used, then it is as if it had never run', () => {
  const programs = [
    '1 1 SSTORE 2 2 SSTORE',
    '100 0 MSTORE8 33 0 KECCAK256 1 SSTORE',
    '0 0 1000 0 0 LOG2',
    '0x1234 BALANCE 0x1234 EXTCODEHASH ADD 3 EXP',
    '0 0 32 0 4 1000 STATICCALL',
    `${inMemory(deploying(assemble('STOP')))} 14 0 0 CREATE`,
  ]
  for (const fork of ['byzantium', 'berlin', 'osaka'] as const)
    for (const program of programs) {
      if (program.includes('EXTCODEHASH') && fork === 'byzantium') continue
      const withGas = (gasLimit: bigint) => run(program, { fork, transaction: { gasLimit } })
      const { gasUsedMax } = withGas(10_000_000n)
      // EIP-150 gives a creation less when there is less, so it may need a little more than it used.
      if (!program.includes('CREATE')) expect([program, withGas(gasUsedMax).success]).toEqual([program, true])
      const short = withGas(gasUsedMax - 1n)
      if (program.includes('STATICCALL') || program.includes('CREATE')) continue
      expect([program, reasonOf(short)]).toEqual([program, 'Out of gas'])
      expect(short.logs).toEqual([])
      expect(short.chain.world().storage(CONTRACT, word(1))).toEqual(word(0))
    }
})
