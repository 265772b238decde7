import { describe, expect, test } from 'bun:test'
import { type Abi, encodeErrorResult } from 'viem'
import { fromHex, toHex } from '../../../../core/bytes/hex.ts'
import { createAddress } from '../../../../core/evm/frames/address.ts'
import { delegationTo } from '../../../../core/evm/frames/delegation.ts'
import {
  address,
  CALLER,
  code,
  CONTRACT,
  deploying,
  type Part,
  returning,
  word,
} from '../../../core/evm/harness.ts'
import { debugTrace, hex } from './traceCode.ts'

type Frame = {
  readonly type: string
  readonly from: string
  readonly to?: string
  readonly gas: string
  readonly gasUsed: string
  readonly value?: string
  readonly input: string
  readonly output?: string
  readonly error?: string
  readonly revertReason?: string
  readonly calls?: readonly Frame[]
  readonly logs?: readonly {
    readonly index: string
    readonly position: string
    readonly topics: readonly string[]
  }[]
}

const OTHER = address(0x22)
const CALL_OTHER: readonly Part[] = [0, 0, 0, 0, 0, 0x22, 50_000, 'CALL']
const CALL_OTHER_ALL: readonly Part[] = [0, 0, 0, 0, 0, 0x22, 'GAS CALL']
const CALL_SELF: readonly Part[] = [0, 0, 0, 0, 0, 'ADDRESS GAS CALL']
const GAS = { message: { gasLimit: 521_000n } }

const callTrace = (
  parts: readonly Part[],
  options: Parameters<typeof debugTrace>[2] = {},
  config = {},
): Frame =>
  debugTrace({ tracer: 'callTracer', tracerConfig: config }, code(...parts), { ...GAS, ...options }) as Frame

const onlyCall = (...args: Parameters<typeof callTrace>): Frame => callTrace(...args).calls?.[0] as Frame

/** Code that reverts with these bytes. */
const reverting = (data: Uint8Array): Uint8Array => {
  // PUSH2 size, DUP1, PUSH1 13, PUSH1 0, CODECOPY, PUSH1 0, REVERT: thirteen bytes with the padding.
  const { length } = data
  return Uint8Array.of(
    0x61,
    length >> 8,
    length & 255,
    0x80,
    0x60,
    13,
    0x60,
    0,
    0x39,
    0x60,
    0,
    0xfd,
    0,
    ...data,
  )
}

const ABI: Abi = [
  { type: 'error', name: 'Error', inputs: [{ type: 'string', name: '' }] },
  { type: 'error', name: 'Panic', inputs: [{ type: 'uint256', name: '' }] },
]
const errorData = (errorName: string, arg: unknown): Uint8Array =>
  fromHex(encodeErrorResult({ abi: ABI, errorName, args: [arg] }))

describe('given callTracer', () => {
  test('when a transaction is traced, then it is the root, with its gas limit and total gas used', () => {
    const trace = callTrace([returning(7)], {
      message: { ...GAS.message, value: 3n, data: Uint8Array.of(1, 2) },
    })
    expect(trace).toEqual({
      type: 'CALL',
      from: hex(CALLER),
      to: hex(CONTRACT),
      gas: `0x${(521_000).toString(16)}`,
      // More than it took to run: the least for its data (EIP-7623).
      gasUsed: `0x${(21_000 + 2 * 40).toString(16)}`,
      value: '0x3',
      input: '0x0102',
      output: toHex(word(7)),
    })
  })

  test.each([
    ['CALL', [0, 0, 0, 0, 5, 0x22, 50_000, 'CALL'], hex(CONTRACT), '0x5'],
    ['CALLCODE', [0, 0, 0, 0, 5, 0x22, 50_000, 'CALLCODE'], hex(CONTRACT), '0x5'],
    ['DELEGATECALL', [0, 0, 0, 0, 0x22, 50_000, 'DELEGATECALL'], hex(CONTRACT), '0x9'],
    ['STATICCALL', [0, 0, 0, 0, 0x22, 50_000, 'STATICCALL'], hex(CONTRACT), undefined],
  ] as const)(
    'when %s is traced, then it is from the calling contract, with the value that its callee sees',
    (type, parts, from, value) => {
      const options = {
        others: [[OTHER, { code: code('STOP') }]],
        message: { ...GAS.message, value: 9n },
      } as const
      const call = onlyCall(parts, options)
      expect(call).toMatchObject({ type, from, to: hex(OTHER), input: '0x' })
      expect(call.value).toBe(value as string)
    },
  )

  test('when creations are traced, then they have the contract’s address, and none when they failed', () => {
    const made = onlyCall([[0, 0, 0, 'CREATE']])
    expect(made).toMatchObject({ type: 'CREATE', to: hex(createAddress(CONTRACT, 0n)), input: '0x' })
    expect(onlyCall([[0, 0, 0, 0, 'CREATE2']]).type).toBe('CREATE2')
    // Initialization code 0xfe.
    const failed = onlyCall([
      [0xfe, 0, 'MSTORE8'],
      [1, 0, 0, 'CREATE'],
    ])
    expect(failed).toMatchObject({ type: 'CREATE', input: '0xfe', error: 'Invalid opcode: 0xfe' })
    expect('to' in failed).toBe(false)
  })

  test('when a Frontier creation cannot pay its deposit, then it has its output and no error', () => {
    const data = deploying(Uint8Array.of(1, 2, 3))
    const found = callTrace([], { fork: 'frontier', message: { to: undefined, data, gasLimit: 22_900n } })
    expect(found).toMatchObject({ type: 'CREATE', output: '0x010203' })
    expect(found.error).toBeUndefined()
  })

  test('when a transaction creates, then it has the deployed code, and its gas includes the deposit', () => {
    const trace = callTrace([], { message: { ...GAS.message, to: undefined, data: deploying(code('STOP')) } })
    expect(trace).toMatchObject({ type: 'CREATE', to: hex(createAddress(CALLER, 0n)), output: '0x00' })
  })

  test('when a contract self-destructs, then it is a call with the balance and the beneficiary', () => {
    const trace = callTrace([CALL_OTHER], {
      others: [[OTHER, { code: code(0x44, 'SELFDESTRUCT'), balance: 6n }]],
    })
    expect(trace.calls?.[0]?.calls).toEqual([
      {
        type: 'SELFDESTRUCT',
        from: hex(OTHER),
        to: hex(address(0x44)),
        gas: '0x0',
        gasUsed: '0x0',
        value: '0x6',
        input: '0x',
      },
    ])
  })

  test.each([
    ['an Error(string)', errorData('Error', 'no luck'), 'no luck'],
    ['a panic', errorData('Panic', 0x11n), 'arithmetic underflow or overflow'],
    ['something else', Uint8Array.of(1, 2, 3, 4, 5), undefined],
    ['nothing', new Uint8Array(0), undefined],
  ])('when a call reverts with %s, then the error says so', (_, data, reason) => {
    const trace = callTrace([reverting(data)])
    expect(trace).toMatchObject({ error: 'execution reverted' })
    expect(trace.output).toBe(data.length === 0 ? (undefined as never) : toHex(data))
    expect(trace.revertReason).toBe(reason as string)
  })

  test('when code halts or a precompile fails, then the text is Besu’s', () => {
    const failing = (bytes: Uint8Array): Frame =>
      onlyCall([CALL_OTHER], { others: [[OTHER, { code: bytes }]] })
    expect(failing(code('ADD')).error).toBe('Stack underflow')
    expect(failing(code('JUMPDEST', 0, 'JUMP'))).toMatchObject({ error: 'Out of gas', gasUsed: '0xc350' })
    expect('output' in failing(code('ADD'))).toBe(false)
    // One byte is not a point of the curve.
    const pairing = onlyCall([[0, 0, 1, 0, 8, 400_000, 'STATICCALL']])
    expect(pairing).toMatchObject({ to: hex(address(8)), error: 'precompile failed' })
    expect(onlyCall([[0, 0, 0, 0, 8, 10, 'STATICCALL']]).error).toBe('Out of gas')
  })

  test('when an account delegates to a precompile, then the precompile runs for it', () => {
    const delegated = onlyCall([[0, 0, 3, 0, 4, 1000, 'DELEGATECALL']])
    expect(delegated).toMatchObject({
      type: 'DELEGATECALL',
      from: hex(CONTRACT),
      to: hex(address(4)),
      output: '0x000000',
    })
  })

  test('when there are many calls and undone logs, then the time stays proportional', () => {
    const log: readonly Part[] = [0, 0, 'LOG0']
    const options = {
      message: { gasLimit: 10n ** 9n },
      others: [[OTHER, { code: code(log, CALL_SELF, 0, 0, 'REVERT') }]],
    } as const
    let frame: Frame | undefined = callTrace([CALL_OTHER_ALL], options, { withLog: true })
    let depth = 0
    for (; frame !== undefined; frame = frame.calls?.[0]) {
      expect('logs' in frame).toBe(false)
      depth++
    }
    expect(depth).toBeGreaterThan(400)
  })

  test('when a call or creation cannot begin, then it is listed with its unused gas', () => {
    expect(onlyCall([[0, 0, 0, 0, 5, 0x22, 1000, 'CALL']])).toEqual({
      type: 'CALL',
      from: hex(CONTRACT),
      to: hex(OTHER),
      gas: `0x${(1000 + 2300).toString(16)}`,
      gasUsed: '0x0',
      input: '0x',
      value: '0x5',
      error: 'insufficient balance for transfer',
    })
    const twice = callTrace([
      [0, 0, 0, 0, 'CREATE2'],
      [0, 0, 0, 0, 'CREATE2'],
    ]).calls?.[1] as Frame
    expect(twice).toMatchObject({ error: 'Illegal state change', gasUsed: twice.gas })
  })

  test('when calls are 1,024 deep, then the next one cannot begin', () => {
    const parts: readonly Part[] = [0, 0, 0, 0, 0, 'ADDRESS GAS CALL']
    let frame = callTrace(parts, { message: { gasLimit: 10n ** 15n } })
    let depth = 0
    while (frame.calls?.[0] !== undefined) {
      frame = frame.calls[0]
      depth++
    }
    expect(depth).toBe(1025)
    expect(frame.error).toBe('max call depth exceeded')
  })

  test('when an account delegates, then its delegate’s code runs under its own address (EIP-7702)', () => {
    const options = {
      others: [
        [OTHER, { code: delegationTo(address(0x77)) }],
        [address(0x77), { code: returning('ADDRESS') }],
      ],
    } as const
    expect(onlyCall([CALL_OTHER], options)).toMatchObject({ to: hex(OTHER), output: toHex(word(0x22)) })
  })

  test('when onlyTopCall is set, then inner calls are left out', () => {
    const options = { others: [[OTHER, { code: code(0x44, 'SELFDESTRUCT') }]] } as const
    const whole = callTrace([CALL_OTHER], options)
    const { calls, ...top } = whole
    expect(calls).toHaveLength(1)
    expect(callTrace([CALL_OTHER], options, { onlyTopCall: true })).toEqual(top)
  })

  test('when withLog is set, then each log has its position, and undone ones are left out', () => {
    const log = (topic: number): readonly Part[] => [topic, 0, 0, 'LOG1']
    const options = {
      others: [
        [OTHER, { code: code(log(2), log(3)) }],
        [address(0x33), { code: code(log(4), CALL_OTHER, 0, 0, 'REVERT') }],
      ],
    } as const
    const failing: readonly Part[] = [0, 0, 0, 0, 0, 0x33, 100_000, 'CALL']
    const trace = callTrace([log(1), CALL_OTHER, log(5), failing, log(6)], options, { withLog: true })
    const logsOf = ({ logs = [] }: Frame) =>
      logs.map(({ index, position, topics }) => [Number(topics[0]), Number(index), Number(position)])
    expect(logsOf(trace)).toEqual([
      [1, 0, 0],
      [5, 3, 1],
      [6, 7, 2],
    ])
    expect(trace.calls?.map(logsOf)).toEqual([
      [
        [2, 1, 0],
        [3, 2, 0],
      ],
      [],
    ])
    expect(trace.calls?.[1]?.calls?.map(logsOf)).toEqual([[]])
    expect('logs' in callTrace([log(1)])).toBe(false)
  })
})

describe('given 4byteTracer', () => {
  test('when calls run, then it counts selectors with argument sizes, without creations and precompiles', () => {
    const input: readonly Part[] = [0xabcdef01, 0, 'MSTORE']
    const call = (size: number): readonly Part[] => [0, 0, size, 28, 0, 0x22, 1000, 'CALL']
    const program = code(
      input,
      call(4),
      call(4),
      call(3),
      [0, 0, 4, 28, 4, 1000, 'STATICCALL'],
      [4, 28, 0, 'CREATE'],
    )
    const data = Uint8Array.of(9, 9, 9, 9, 1, 2)
    const trace = debugTrace({ tracer: '4byteTracer' }, program, { message: { ...GAS.message, data } })
    expect(trace).toEqual({ '0x09090909-2': 1, '0xabcdef01-0': 2 })
  })
})

describe('given flatCallTracer', () => {
  type Flat = {
    readonly type: string
    readonly traceAddress: readonly number[]
    readonly error?: string
    readonly result?: unknown
  }
  const flat = (config: object, ...parts: readonly Part[]): readonly Flat[] =>
    debugTrace({ tracer: 'flatCallTracer', tracerConfig: config }, code(...parts), {
      ...GAS,
      others: [
        [OTHER, { code: code(0, 0, 'REVERT') }],
        [
          address(0x33),
          { code: code([0, 0, 0, 0, 2, 1000, 'STATICCALL'], [0, 0, 0, 'CREATE'], 0x44, 'SELFDESTRUCT') },
        ],
      ],
    }) as readonly Flat[]
  const deep: readonly Part[] = [0, 0, 0, 0, 0, 0x33, 200_000, 'CALL']

  test('when calls run, then it lists each with its position', () => {
    expect(flat({}, CALL_OTHER, deep).map(({ type, traceAddress }) => [type, traceAddress])).toEqual([
      ['call', []],
      ['call', [0]],
      ['call', [1]],
      ['create', [1, 0]],
      ['suicide', [1, 1]],
    ])
    expect(flat({ includePrecompiles: true }, deep)).toHaveLength(5)
  })

  test('when a call reverts, then its gas used is shown, in geth’s or OpenEthereum’s form', () => {
    expect(flat({}, CALL_OTHER)[1]).toMatchObject({ error: 'execution reverted', result: { output: '0x' } })
    expect(flat({ convertParityErrors: true }, CALL_OTHER)[1]?.error).toBe('Reverted')
  })
})
