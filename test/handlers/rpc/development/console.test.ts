import { describe, expect, test } from 'bun:test'
import { encodeFunctionData, parseAbiItem } from 'viem'
import { fromHex } from '../../../../core/bytes/hex.ts'
import type { TraceCall } from '../../../../core/evm/interpreter/tracer.ts'
import {
  CONSOLE_BYTES_MAX,
  CONSOLE_LINES_MAX,
  createConsole,
} from '../../../../handlers/rpc/development/console/console.ts'
import { decodeConsoleCall } from '../../../../handlers/rpc/development/console/decode.ts'
import { formatConsoleLine } from '../../../../handlers/rpc/development/console/format.ts'

const ADDRESS = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const SAMPLES: Readonly<Record<string, readonly [sent: unknown, read: unknown]>> = {
  uint256: [7n, 7n],
  int256: [-7n, -7n],
  string: ['Grüezi', 'Grüezi'],
  bool: [true, true],
  address: [ADDRESS, ADDRESS],
  bytes: ['0x0102', '0x0102'],
}
const BASE = ['uint256', 'string', 'bool', 'address']

const encode = (types: readonly string[]): Uint8Array =>
  fromHex(
    encodeFunctionData({
      abi: [parseAbiItem(`function log(${types.join(', ')})`)],
      args: types.map(type => SAMPLES[type]?.[0] ?? `0x${'ab'.repeat(Number(type.slice(5)))}`),
    } as never),
  )

const combinations = (count: number): string[][] =>
  count === 0 ? [[]] : combinations(count - 1).flatMap(types => BASE.map(type => [...types, type]))

test('given each overload of Hardhat’s and Foundry’s libraries, when its call is decoded, then the arguments are as sent', () => {
  const fixed = Array.from({ length: 32 }, (_, index) => [`bytes${index + 1}`])
  const others = [['int256'], ['string', 'int256'], ['bytes'], ...fixed]
  const all = [...[0, 1, 2, 3, 4].flatMap(combinations), ...others]
  expect(all).toHaveLength(1 + 4 + 16 + 64 + 256 + 35)
  for (const types of all) {
    const read = types.map(type => SAMPLES[type]?.[1] ?? `0x${'ab'.repeat(Number(type.slice(5)))}`)
    expect(decodeConsoleCall(encode(types))).toEqual(read as never)
  }
})

test('given the old name of uint256 in a selector, when the call is decoded, then it is known, too', () => {
  // log(uint) of early releases of Hardhat's library.
  expect(decodeConsoleCall(fromHex(`0xf5b1bba9${'2a'.padStart(64, '0')}`))).toEqual([42n])
})

test('given inputs that are no calls of the library, when they are decoded, then nothing fails', () => {
  const full = encode(['string', 'string'])
  for (let size = 0; size < full.length; size++) decodeConsoleCall(full.subarray(0, size))
  const hostile = full.slice()
  hostile.fill(0xff, 4)
  expect(decodeConsoleCall(hostile)).toEqual(['', ''])
  expect(decodeConsoleCall(fromHex('0x01020304'))).toBeUndefined()
})

test('given values and placeholders, when a line is made of them, then it reads as in Hardhat', () => {
  expect(formatConsoleLine(['%s has %d, %d%%', ADDRESS, 5n, 7n, true])).toBe(`${ADDRESS} has 5, 7% true`)
  expect(formatConsoleLine(['100%'])).toBe('100%')
  expect(formatConsoleLine([1n, 'a', false])).toBe('1 a false')
  expect(formatConsoleLine(['%x', 255n])).toBe('0xff')
  expect(formatConsoleLine([])).toBe('')
})

describe('given a run that prints', () => {
  const callOf = (input: Uint8Array): TraceCall =>
    ({
      kind: 'STATICCALL',
      to: fromHex('0x000000000000000000636f6e736f6c652e6c6f67'),
      inputSize: input.length,
      startOfInput: (size: number) => input.subarray(0, size),
    }) as unknown as TraceCall

  test('when it prints without end, then lines and bytes are bounded', () => {
    for (const [input, lines] of [
      [encode(['uint256']), CONSOLE_LINES_MAX],
      [encode(['bytes32', 'string']), 0],
      [
        fromHex(
          encodeFunctionData({ abi: [parseAbiItem('function log(string)')], args: ['x'.repeat(100_000)] }),
        ),
        CONSOLE_BYTES_MAX / 8192 + 2,
      ],
    ] as const) {
      const written: string[] = []
      const { hooks, flush } = createConsole(line => written.push(line))()
      for (let count = 0; count < 3 * CONSOLE_LINES_MAX; count++) hooks.onEnter?.(callOf(input))
      flush()
      flush()
      expect(written.length).toBeLessThanOrEqual(lines + 1)
      expect(written.join('').length).toBeLessThan(CONSOLE_BYTES_MAX + 20_000)
      if (lines > 0) expect(written.at(-1)).toContain('left out')
    }
  })
})
