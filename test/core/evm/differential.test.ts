import { afterEach, describe, expect, test } from 'bun:test'
import { createBlock } from '@ethereumjs/block'
import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import { SimpleStateManager } from '@ethereumjs/statemanager'
import { createTx } from '@ethereumjs/tx'
import { Account, Address } from '@ethereumjs/util'
import { createVM, runTx } from '@ethereumjs/vm'
import { EMPTY_BYTES } from '../../../core/bytes/bytes.ts'
import { toHex } from '../../../core/bytes/hex.ts'
import { signTransaction } from '../../../core/block/codec/signature.ts'
import { addressOfPrivateKey } from '../../../core/crypto/crypto.ts'
import { onHotPrograms } from '../../../core/evm/compiled/hotPrograms.ts'
import { executeTransaction } from '../../../core/evm/transaction/execute.ts'
import { scheduleOf } from '../../../core/evm/gas/gasSchedule.ts'
import type { ForkName } from '../../../core/genesis/fork.ts'
import { compileAtFirstCall } from '../../../runtime/compiler/segmentCompiler.ts'
import { seededRandom } from '../../support/random.ts'
import { address, BENEFICIARY, environmentOf, word, worldWith } from './harness.ts'
import { BARE_FIELDS } from '../../support/chains/bareFields.ts'

/**
 * The same random programs run here and in @ethereumjs/vm: gas, output, logs and every account must agree. Here every second
 * one is interpreted, the others are compiled as far as they can be. A campaign: as in compiled/segments.test.ts.
 */
const PROGRAMS = Number(process.env['PROGRAMS'] ?? 60)
const SEED = Number(process.env['SEED'] ?? 0)

const BALANCE = 10n ** 18n
const KEY = word(0xd1ff)
const SENDER = addressOfPrivateKey(KEY)
const CONTRACTS = [address(0xc1), address(0xc2), address(0xc3)]

const HARDFORKS: readonly (readonly [ForkName, Hardfork])[] = [
  ['byzantium', Hardfork.Byzantium],
  ['istanbul', Hardfork.Istanbul],
  ['berlin', Hardfork.Berlin],
  ['london', Hardfork.London],
  ['cancun', Hardfork.Cancun],
  ['prague', Hardfork.Prague],
]

type Random = ReturnType<typeof seededRandom>

const OPS = {
  words: [
    0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x0b, 0x10, 0x11, 0x12, 0x13, 0x14, 0x16, 0x17, 0x18, 0x1a,
    0x1b, 0x1c, 0x1d,
  ],
  ternary: [0x08, 0x09],
  unary: [0x15, 0x19, 0x31, 0x35, 0x3b, 0x3f, 0x51, 0x54, 0x5c],
  nullary: [0x30, 0x32, 0x33, 0x34, 0x36, 0x38, 0x3a, 0x3d, 0x41, 0x43, 0x47, 0x58, 0x59, 0x5a],
}

/** Pushes something: a small number, an address of the test, or a word of any size. */
const push = (random: Random): number[] => {
  const small = (): number[] => [0x60, random.below(random.below(4) === 0 ? 256 : 70)]
  switch (random.below(6)) {
    case 0: {
      const size = 1 + random.below(32)
      return [0x5f + size, ...random.bytes(size)]
    }
    case 1:
      return [0x60, 0xc1 + random.below(4)]
    case 2:
      return [0x60, 1 + random.below(9)]
    default:
      return small()
  }
}

/** One instruction with the operands it needs; most of the time they are fresh, so that little underflows. */
const instruction = (random: Random): number[] => {
  const operands = (count: number): number[] => Array.from({ length: count }, () => push(random)).flat()
  const pick = (ops: readonly number[]): number => ops[random.below(ops.length)] as number
  switch (random.below(22)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return [...operands(random.below(3)), pick(OPS.words)]
    case 4:
      return [...operands(random.below(4)), pick(OPS.ternary)]
    case 5:
    case 6:
      return [...operands(random.below(2)), pick(OPS.unary)]
    case 7:
      return [pick(OPS.nullary)]
    case 8:
      return [...operands(1), 0x60, random.below(6), 0x55]
    case 9:
      return [...operands(1), 0x60, random.below(6), 0x54]
    case 10:
      return [...operands(1), 0x60, random.below(200), random.below(2) === 0 ? 0x52 : 0x53]
    case 11:
      return [0x60, random.below(100), 0x60, random.below(100), 0x20]
    case 12:
      return [
        0x60,
        random.below(64),
        0x60,
        random.below(64),
        0x60,
        random.below(64),
        pick([0x37, 0x39, 0x5e]),
      ]
    case 13:
      return [0x80 + random.below(4)]
    case 14:
      return [0x90 + random.below(4)]
    case 15:
      return [
        ...operands(random.below(3)),
        0x60,
        random.below(40),
        0x60,
        random.below(40),
        0xa0 + random.below(3),
      ]
    case 16:
    case 17: {
      // A call of any kind to one of the contracts, a precompile, or nobody.
      const op = pick([0xf1, 0xf2, 0xf4, 0xfa])
      const value = op === 0xf1 || op === 0xf2 ? [0x60, random.below(3) === 0 ? random.below(9) : 0] : []
      const memory = [random.below(64), random.below(64), random.below(64), random.below(64)].flatMap(n => [
        0x60,
        n,
      ])
      const to = random.below(4) === 0 ? 1 + random.below(5) : 0xc1 + random.below(4)
      return [...memory, ...value, 0x60, to, 0x61, random.below(256), random.below(256), op]
    }
    case 18:
      return [...operands(1), 0x60, random.below(9), 0x60, 0, random.below(2) === 0 ? 0xf0 : 0xf5]
    case 19:
      return [...operands(1), 0x60, random.below(4), 0x5d]
    case 20:
      return random.below(12) === 0 ? [0x60, 0xc1 + random.below(4), 0xff] : [...operands(2), 0x0a]
    default:
      return random.below(8) === 0 ? [0x60, random.below(64), 0x60, 0, pick([0xf3, 0xfd])] : [0x50]
  }
}

/** Items that a program begins with, so that few underflow. */
const FIRST_ITEMS = 12

const program = (random: Random, fork: ForkName): Uint8Array => {
  const { known } = scheduleOf(fork)
  const parts = Array.from({ length: FIRST_ITEMS }, () => push(random))
  for (let left = 5 + random.below(60); left > 0; left--) {
    const next = instruction(random)
    if (known[next.at(-1) as number] === 1) parts.push(next)
  }
  return Uint8Array.from(parts.flat())
}

const outcome = async (fork: ForkName, hardfork: Hardfork, seed: number) => {
  const random = seededRandom(seed)
  const codes = CONTRACTS.map(() => program(random, fork))
  const data = random.bytes(random.below(80))
  const hasMarket = fork !== 'byzantium' && fork !== 'istanbul' && fork !== 'berlin'
  const price = hasMarket ? 10n : 3n
  const unsigned = {
    type: 0,
    chainId: 1n,
    nonce: 0n,
    maxFeePerGas: price,
    maxPriorityFeePerGas: price,
    gasLimit: 300_000n,
    to: CONTRACTS[0] as Uint8Array,
    value: 9n,
    data,
    ...BARE_FIELDS,
  } as const
  const signed = signTransaction(unsigned, KEY)

  const plain = environmentOf(fork)
  const environment = { ...plain, rules: { ...plain.rules, chainId: 1n } }
  const world = worldWith([
    [SENDER, { balance: BALANCE }],
    ...CONTRACTS.map(
      (at, i) =>
        [at, { code: codes[i] as Uint8Array, balance: 100n, nonce: 1n, storage: { 1: 5n } }] as const,
    ),
  ])
  const ours = executeTransaction(
    environment,
    world,
    { transaction: signed, sender: SENDER },
    environment.gasLimit,
  )

  const common = new Common({ chain: Mainnet, hardfork })
  const stateManager = new SimpleStateManager({ common })
  await stateManager.putAccount(new Address(SENDER), new Account(0n, BALANCE))
  for (const [i, at] of CONTRACTS.entries()) {
    await stateManager.putAccount(new Address(at), new Account(1n, 100n))
    await stateManager.putCode(new Address(at), codes[i] as Uint8Array)
    await stateManager.putStorage(new Address(at), word(1), Uint8Array.of(5))
  }
  const vm = await createVM({ common, stateManager })
  const block = createBlock(
    {
      header: {
        number: environment.number,
        timestamp: environment.timestamp,
        gasLimit: environment.gasLimit,
        coinbase: new Address(BENEFICIARY),
        ...(hasMarket ? { baseFeePerGas: environment.baseFeePerGas as bigint } : {}),
        ...(fork === 'cancun' || fork === 'prague'
          ? { mixHash: environment.prevRandao, difficulty: 0n }
          : { difficulty: environment.difficulty }),
      },
    },
    {
      common,
      skipConsensusFormatValidation: true,
      calcDifficultyFromHeader: undefined as never,
      freeze: false,
    },
  )
  const transaction = createTx(
    {
      type: 0,
      nonce: 0n,
      gasPrice: price,
      gasLimit: unsigned.gasLimit,
      to: new Address(unsigned.to),
      value: unsigned.value,
      data,
      v: BigInt(signed.yParity) + 37n,
      r: signed.r,
      s: signed.s,
    },
    { common },
  )
  const theirs = await runTx(vm, {
    tx: transaction,
    block,
    skipHardForkValidation: true,
    skipBlockGasLimitValidation: true,
  })

  const accounts = await Promise.all(
    [SENDER, BENEFICIARY, ...CONTRACTS].map(async at => {
      const account = await stateManager.getAccount(new Address(at))
      const slots = await Promise.all(
        [0, 1, 2, 3, 4, 5].map(async slot =>
          toHex(await stateManager.getStorage(new Address(at), word(slot))),
        ),
      )
      const trimmed = slots.map(slot => BigInt(slot === '0x' ? 0 : slot))
      return {
        theirs: [account?.balance ?? 0n, account?.nonce ?? 0n, account === undefined ? [] : trimmed],
        ours: [
          world.balance(at),
          world.nonce(at),
          world.exists(at)
            ? [0, 1, 2, 3, 4, 5].map(slot => BigInt(toHex(world.storage(at, word(slot)))))
            : [],
        ],
      }
    }),
  )
  return {
    ours: {
      gas: ours.gasUsed,
      success: ours.success,
      output: toHex(ours.output),
      logs: ours.logs.map(log => [toHex(log.address), log.topics.map(toHex), toHex(log.data)]),
      accounts: accounts.map(account => account.ours),
    },
    theirs: {
      gas: theirs.totalGasSpent,
      success: theirs.execResult.exceptionError === undefined,
      output: toHex(theirs.execResult.returnValue ?? EMPTY_BYTES),
      logs: (theirs.execResult.logs ?? []).map(([at, topics, bytes]) => [
        toHex(at),
        topics.map(toHex),
        toHex(bytes),
      ]),
      accounts: accounts.map(account => account.theirs),
    },
  }
}

describe('given random programs', () => {
  afterEach(() => onHotPrograms(undefined))

  test.each(HARDFORKS)(
    'when %s run here and in @ethereumjs/vm, then the results are equal',
    async (fork, hardfork) => {
      for (let i = 0; i < PROGRAMS; i++) {
        const forkSeed = SEED * HARDFORKS.length + HARDFORKS.findIndex(([name]) => name === fork) + 1
        const seed = 1_000_000 * forkSeed + i
        if (i % 2 === 0) onHotPrograms(undefined)
        else compileAtFirstCall()
        const { ours, theirs } = await outcome(fork, hardfork, seed)
        expect({ seed, ...ours }).toEqual({ seed, ...theirs })
      }
    },
  )
})
