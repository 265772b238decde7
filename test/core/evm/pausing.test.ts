import { describe, expect, test } from 'bun:test'
import type { Authorization } from '../../../core/block/transaction.ts'
import { transactionSteps } from '../../../core/evm/transaction/apply.ts'
import type { TransactionResult } from '../../../core/evm/transaction/result.ts'
import { type RunLimit, withRunLimit } from '../../../core/evm/interpreter/runLimit.ts'
import { accountOf, putBalance } from '../../../core/state/executionState.ts'
import { executionStateOf } from '../../../core/state/worldState.ts'
import type { StateChanges } from '../../../core/state/account.ts'
import {
  address,
  CALLER,
  code,
  CONTRACT,
  deploying,
  environmentOf,
  message,
  type Part,
  run,
  type RunOptions,
  word,
  worldWith,
} from './harness.ts'

const OTHER = 0x07e5
const GAS = 3_000_000n

/** More than any of the transactions has: the message itself is never checked. */
const GAS_OF_NO_CHECK = 2 ** 40

type Found = { readonly result: TransactionResult; readonly changes: StateChanges; readonly pauses: number }

/** Runs the code as a transaction would, going on after each pause; `between` is what happens in a pause. */
const execute = (
  program: Uint8Array,
  { fork = 'osaka', others = [], installed = {}, message: changes = {} }: RunOptions,
  watch: RunLimit | undefined,
  between: () => void = () => undefined,
): Found => {
  const world = worldWith([[CONTRACT, { ...installed, code: program }], ...others])
  world.keep()
  const state = executionStateOf(world)
  const sender = accountOf(state, CALLER)
  putBalance(state, sender, 10n ** 30n)
  const sent = message({ gasLimit: GAS, ...changes })
  const steps = transactionSteps(environmentOf(fork), state, sender, sent, 0n, undefined)
  for (let pauses = 0; ; pauses++) {
    const step = watch === undefined ? steps.next() : withRunLimit(watch, () => steps.next())
    if (step.done === true) return { result: step.value, changes: world.changes(1n), pauses }
    between()
  }
}

const outcomeOf = ({ result, changes }: Found) => ({ result, changes })

/** Pauses wherever it is asked. */
const always = (gas: number): RunLimit => ({ gas, check: () => undefined, isPauseDue: () => true })

/** Fills the stack, the memory and the frames with something else. */
const DISTURBANCE = code(
  Array.from({ length: 40 }, (_, i) => 0xdead_0000_0000 + i),
  Array.from({ length: 40 }, (_, i) => [0xbeef_beef_beef_beefn, 32 * i, 'MSTORE']),
  [0, 0, 0, 0, 0, 0x2222, 'GAS', 'CALL'],
)
const disturb = (): void => {
  run(DISTURBANCE, { others: [[address(0x2222), { code: DISTURBANCE }]] })
}
/** The same with a run that ends in the middle. */
const disturbHalfway = (): void => {
  class Ended extends Error {}
  const check = (): void => {
    throw new Ended()
  }
  expect(() => withRunLimit({ gas: 300, check }, disturb)).toThrow(Ended)
}

const rounds = (count: number, ...body: readonly Part[]): Uint8Array =>
  code(
    count,
    ['JUMPDEST', body, 1, 'SWAP1 SUB DUP1', count < 256 ? 2 : 3, 'JUMPI'],
    ['GAS', 0, 'MSTORE', 64, 0, 'RETURN'],
  )
const callOther = (op: string, input = 0, size = 0): readonly Part[] =>
  op === 'CALL' || op === 'CALLCODE'
    ? [64, 0, size, input, 7, OTHER, 'GAS', op, 'POP']
    : [64, 0, size, input, OTHER, 'GAS', op, 'POP']
/** Calls itself with the gas it has, as deep as that goes, holding items on the stack. */
const DEEPER = code(
  Array.from({ length: 30 }, (_, i) => i * 0x1_0000_0000_0000),
  [0, 0, 0, 0, 0, 'ADDRESS', 'GAS', 'CALL'],
  [0, 'SLOAD', 1, 'ADD', 0, 'SSTORE', 'STOP'],
)
const precompile = (number: number, size: number): readonly Part[] => [
  [64, 0, size, 0, number, 'GAS', 'STATICCALL', 'POP', 'RETURNDATASIZE', 0, 'MSTORE'],
]
const MEGABYTE = 1_000_000
const INNER = deploying(code(1, 2, 'SSTORE'))

const PROGRAMS: readonly (readonly [string, Uint8Array, RunOptions])[] = [
  ['a loop', rounds(500), {}],
  ['a loop without an end', code('JUMPDEST', 0, 'JUMP'), {}],
  [
    'writes, and logs',
    rounds(30, 'DUP1 DUP1 SSTORE', 'DUP1', 0, 'MSTORE', 'DUP1', 40, 0, 'LOG1', 'DUP1 DUP1 TSTORE'),
    {},
  ],
  [
    'calls that succeed',
    rounds(20, callOther('CALL', 0, 64)),
    {
      others: [[address(OTHER), { code: code(0, 'SLOAD', 1, 'ADD', 0, 'SSTORE', 32, 0, 'RETURN') }]],
      installed: { balance: 10n ** 6n },
    },
  ],
  [
    'calls that revert',
    rounds(20, callOther('CALL'), callOther('DELEGATECALL'), callOther('STATICCALL')),
    {
      others: [[address(OTHER), { code: code(9, 9, 'SSTORE', 32, 0, 'REVERT') }]],
      installed: { balance: 10n ** 6n },
    },
  ],
  [
    'calls that halt',
    rounds(10, callOther('CALL')),
    {
      others: [[address(OTHER), { code: code(9, 9, 'SSTORE', 'INVALID') }]],
      installed: { balance: 10n ** 6n },
    },
  ],
  [
    'many transient slots, written and read',
    rounds(20_000, 'DUP1 DUP1 TSTORE', 'DUP1', 2 ** 20, 'ADD TLOAD POP'),
    { message: { gasLimit: 30_000_000n } },
  ],
  ['deep calls', DEEPER, { message: { gasLimit: 30_000_000n } }],
  [
    'creations',
    rounds(5, [
      ...Array.from(INNER, (byte, i) => [byte, i, 'MSTORE8'] as const),
      'DUP1',
      INNER.length,
      0,
      0,
      'CREATE2 POP',
    ]),
    {},
  ],
  [
    'self-destructs',
    rounds(5, callOther('CALL')),
    {
      fork: 'london',
      others: [[address(OTHER), { code: code('CALLER SELFDESTRUCT'), balance: 5n }]],
      installed: { balance: 100n },
    },
  ],
  [
    'hashes and copies of much memory',
    rounds(
      2,
      MEGABYTE,
      0,
      'KECCAK256',
      'POP',
      MEGABYTE,
      0,
      500,
      'MCOPY',
      MEGABYTE,
      500,
      0,
      'MCOPY',
      MEGABYTE,
      0,
      32,
      'CODECOPY',
      MEGABYTE,
      0,
      0,
      'CALLDATACOPY',
      MEGABYTE,
      0,
      0,
      'ADDRESS',
      'EXTCODECOPY',
      1,
      0,
      MEGABYTE,
      0,
      'LOG1',
    ),
    { message: { gasLimit: 90_000_000n } },
  ],
  [
    'much memory that comes little by little',
    rounds(100, 7, 'DUP2', 20_000, 'MUL', 'MSTORE'),
    { message: { gasLimit: 90_000_000n } },
  ],
  ['much output', code(5, 0, 'MSTORE', MEGABYTE, 0, 'RETURN'), {}],
  [
    'much output of a call, and much of it copied',
    rounds(
      2,
      [MEGABYTE, 0, MEGABYTE, 0, 0, OTHER, 'GAS', 'CALL', 'POP'],
      'RETURNDATASIZE',
      0,
      0,
      'RETURNDATACOPY',
    ),
    {
      others: [[address(OTHER), { code: code(5, 0, 'MSTORE', MEGABYTE, 0, 'REVERT') }]],
      message: { gasLimit: 90_000_000n },
    },
  ],
  [
    'a creation with much initialization code',
    code(
      0x5b5b600a56,
      0,
      'MSTORE',
      400_000,
      0,
      0,
      'CREATE',
      'DUP1',
      0,
      'MSTORE',
      400_000,
      0,
      7,
      0,
      'SWAP3',
      'CREATE2',
      32,
      'MSTORE',
      64,
      0,
      'RETURN',
    ),
    { fork: 'london', message: { gasLimit: 90_000_000n } },
  ],
  [
    'much that is undone',
    code(1, 1, 'SSTORE', callOther('CALL'), 'GAS', 0, 'MSTORE', 32, 0, 'RETURN'),
    {
      fork: 'istanbul',
      others: [[address(OTHER), { code: rounds(33_000, 'DUP1 DUP1', 'SSTORE') }]],
      message: { gasLimit: 900_000_000n },
      installed: { balance: 10n ** 6n },
    },
  ],
  [
    'a precompile over much input',
    rounds(2, precompile(2, MEGABYTE), precompile(3, MEGABYTE), precompile(4, MEGABYTE)),
    { message: { gasLimit: 90_000_000n } },
  ],
  [
    'a precompile over too much input for its gas',
    code(precompile(3, MEGABYTE), 'GAS', 0, 'MSTORE', 32, 0, 'RETURN'),
    { message: { gasLimit: 5_000_000n } },
  ],
  ['rounds of BLAKE2', rounds(2, [[0x493e0, 224, 'SHL', 0, 'MSTORE'], precompile(9, 213)]), {}],
]

/** A transaction whose lists take long before its message begins. */
const authorizations = (count: number): readonly Authorization[] =>
  Array.from({ length: count }, (_, i) => ({
    chainId: 0n,
    address: address(OTHER),
    nonce: 0n,
    yParity: BigInt(i & 1),
    // Any r that is the first coordinate of a point, and any s, recover to somebody.
    r: 0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n,
    s: BigInt(i + 1),
  }))
const LISTS: readonly (readonly [string, NonNullable<RunOptions['message']>])[] = [
  ['authorizations', { authorizationList: authorizations(50) }],
  [
    'slots of an access list',
    { accessList: [{ address: CONTRACT, storageKeys: Array.from({ length: 200 }, (_, i) => word(i)) }] },
  ],
  [
    'accounts of an access list',
    { accessList: Array.from({ length: 200 }, (_, i) => ({ address: address(i + 1), storageKeys: [] })) },
  ],
]

describe.each(LISTS)('given a transaction with many %s', (_, changes) => {
  const options: RunOptions = { message: changes }
  const program = code(0, 'SLOAD', 'GAS', 0, 'MSTORE', 32, 0, 'RETURN')

  test('when a pause is due before its message begins, then it pauses, and ends as one that never does', () => {
    const found = execute(program, options, always(GAS_OF_NO_CHECK), disturb)
    expect(found.pauses).toBeGreaterThan(0)
    expect(outcomeOf(found)).toEqual(outcomeOf(execute(program, options, undefined)))
  })

  test('when its time is over before its message begins, then it is ended', () => {
    class Ended extends Error {}
    const check = (): void => {
      throw new Ended()
    }
    expect(() => execute(program, options, { gas: GAS_OF_NO_CHECK, check })).toThrow(Ended)
  })
})

describe('given a transaction that pauses', () => {
  describe.each(PROGRAMS)('%s', (_, program, options) => {
    const whole = outcomeOf(execute(program, options, undefined))
    const isLong = whole.result.gasUsed > 20_000_000n
    const [least = 1, ...others] = isLong ? [20_000] : [1, 1000, 50_000]

    test('when it pauses as often as it can, then it ends as one that never does', () => {
      const found = execute(program, options, always(least))
      expect(found.pauses).toBeGreaterThan(0)
      expect(outcomeOf(found)).toEqual(whole)
    })

    test('when it pauses less often, then it ends as one that never does', () => {
      for (const gas of others) expect(outcomeOf(execute(program, options, always(gas)))).toEqual(whole)
    })

    test('when other messages run in the pauses, then it ends as one that never pauses', () => {
      let pauses = 0
      // Not in each of thousands.
      const between = (): void => {
        pauses++
        if (pauses < 200 || pauses % 101 === 0) disturb()
        if (pauses % 7 === 0) disturbHalfway()
      }
      expect(outcomeOf(execute(program, options, always(isLong ? 20_000 : 100), between))).toEqual(whole)
    })
  })

  test('when several pause at once, and within each other, then each ends as if it were alone', () => {
    const [, , writes, calls] = PROGRAMS
    if (writes === undefined || calls === undefined) throw new Error('no programs')
    const inner = outcomeOf(execute(calls[1], calls[2], undefined))
    let pauses = 0
    const between = (): void => {
      if (++pauses % 50 !== 0) return
      expect(outcomeOf(execute(calls[1], calls[2], always(500), disturb))).toEqual(inner)
    }
    expect(outcomeOf(execute(writes[1], writes[2], always(100), between))).toEqual(
      outcomeOf(execute(writes[1], writes[2], undefined)),
    )
  })

  test('when it is abandoned in a pause, then the next message is unaffected', () => {
    const steps = transactionSteps(
      environmentOf('osaka'),
      executionStateOf(worldWith([[CONTRACT, { code: rounds(500) }]])),
      accountOf(executionStateOf(worldWith([])), CALLER),
      message({ gasLimit: GAS }),
      0n,
      undefined,
    )
    withRunLimit(always(1000), () => steps.next())
    steps.return(undefined as never)
    expect(run(rounds(500)).result.success).toBe(true)
  })
})
