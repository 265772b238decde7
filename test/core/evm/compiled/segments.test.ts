import { afterAll, describe, expect, test } from 'bun:test'
import { toHex } from '../../../../core/bytes/hex.ts'
import { keccak256 } from '../../../../core/crypto/crypto.ts'
import { install, translateSteps, WHOLE_TRANSLATION } from '../../../../core/evm/compiled/compiler.ts'
import { onHotPrograms } from '../../../../core/evm/compiled/hotPrograms.ts'
import { scheduleOf } from '../../../../core/evm/gas/gasSchedule.ts'
import { cachedProgram, type Program } from '../../../../core/evm/interpreter/program.ts'
import { callMessage } from '../../../../core/evm/transaction/execute.ts'
import { runSteps } from '../../../../core/steps.ts'
import { seededRandom } from '../../../support/random.ts'
import { address, environmentOf, worldWith } from '../harness.ts'
import { BARE_FIELDS } from '../../../support/chains/bareFields.ts'

/**
 * The same random programs run interpreted and with compiled segments: output and gas must agree. A campaign:
 * `PROGRAMS=1000000 bun test --timeout=100000000 test/core/evm/compiled/segments.test.ts`, with `SEED=…` for another one.
 */
const PROGRAMS = Number(process.env['PROGRAMS'] ?? 300)
const SEED = Number(process.env['SEED'] ?? 40)

const CONTRACT = address(0xc1)
const SENDER = address(0x5e)

const random = seededRandom(SEED)

/** Instructions with one and two operands that segments have, and some that end a segment. */
const BINARY = [0x01, 0x02, 0x03, 0x10, 0x11, 0x12, 0x13, 0x14, 0x16, 0x17, 0x18]
const UNARY = [0x15, 0x19]
const ENDING = [0x04, 0x06, 0x0b, 0x1a, 0x1d]
const SHIFTS = [0x1b, 0x1c]

const EDGES: readonly bigint[] = [0n, 31n, 32n, 53n, 64n, 128n, 192n, 255n, 256n].flatMap(bits => [
  BigInt.asUintN(256, 2n ** bits),
  2n ** bits - 1n,
])

const pushWord = (value: bigint): number[] => [
  0x7f,
  ...Array.from({ length: 32 }, (_, index) => Number((value >> BigInt(8 * (31 - index))) & 0xffn)),
]

const push = (): number[] => {
  switch (random.below(4)) {
    case 0:
      return [0x60, random.below(256)]
    case 1:
      return pushWord(EDGES[random.below(EDGES.length)] as bigint)
    default: {
      const size = 1 + random.below(32)
      return [0x5f + size, ...random.bytes(size)]
    }
  }
}

const pick = (from: readonly number[]): number => from[random.below(from.length)] as number

/** Code that computes with its stack and returns all of it. */
const randomCode = (): Uint8Array => {
  const bytes: number[] = []
  let height = 0
  for (let count = 4 + random.below(4); count > 0; count--, height++) bytes.push(...push())
  for (let count = 5 + random.below(40); count > 0; count--) {
    const kind = random.below(16)
    if (height < 3 || kind < 2) {
      bytes.push(...push())
      height++
    } else if (kind < 4) {
      bytes.push(0x80 + random.below(Math.min(16, height)))
      height++
    } else if (kind < 6) bytes.push(0x90 + random.below(Math.min(16, height - 1)))
    else if (kind === 6) {
      bytes.push(0x50)
      height--
    } else if (kind === 7) bytes.push(pick(UNARY))
    else if (kind === 8) bytes.push(0x60, random.below(256), pick(SHIFTS))
    else if (kind === 9) bytes.push(0x5b)
    else {
      bytes.push(pick(kind === 10 ? [...ENDING, ...SHIFTS] : BINARY))
      height--
    }
  }
  for (let index = 0; index < height; index++) bytes.push(0x61, index >> 3, (index & 7) << 5, 0x52)
  return Uint8Array.from([...bytes, 0x61, height >> 3, (height & 7) << 5, 0x60, 0, 0xf3])
}

const worldOf = (code: Uint8Array) => worldWith([[CONTRACT, { code }]])

const callOf = (code: Uint8Array) => {
  const message = {
    from: SENDER,
    to: CONTRACT,
    gasLimit: 10n ** 6n,
    value: 0n,
    data: new Uint8Array(0),
    maxFeePerGas: 0n,
    maxPriorityFeePerGas: 0n,
    ...BARE_FIELDS,
  }
  const { success, output, gasUsed } = callMessage(environmentOf('cancun'), worldOf(code), message)
  return { success, output: toHex(output), gasUsed }
}

/** Compiles the cached program of the code; gives the number of its compiled segments. */
const compile = (code: Uint8Array): number => {
  const program = cachedProgram(scheduleOf('cancun'), keccak256(code)) as Program
  const translated = runSteps(translateSteps(program, WHOLE_TRANSLATION))
  if (translated === undefined) return 0
  install(translated, new WebAssembly.Module(translated.module))
  return translated.segments.length
}

describe('given random programs', () => {
  test('when their segments are compiled, then they give the same output for the same gas', () => {
    let segments = 0
    for (let count = 0; count < PROGRAMS; count++) {
      const code = randomCode()
      const interpreted = callOf(code)
      expect(interpreted.success).toBe(true)
      segments += compile(code)
      const compiled = callOf(code)
      if (compiled.output !== interpreted.output) throw new Error(`they differ: ${toHex(code)}`)
      expect(compiled).toEqual(interpreted)
    }
    expect(segments).toBeGreaterThan(PROGRAMS)
  })
})

describe('given a program that is called again and again', () => {
  afterAll(() => onHotPrograms(undefined))

  test('when so many calls have begun, then it is reported once', () => {
    const hot: Program[] = []
    onHotPrograms({ calls: 3, onHot: program => hot.push(program) })
    const code = randomCode()
    for (let calls = 0; calls < 5; calls++) callOf(code)
    expect(hot).toEqual([cachedProgram(scheduleOf('cancun'), keccak256(code)) as Program])
  })
})
