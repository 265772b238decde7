import { describe, expect, test } from 'bun:test'
import { bytesToBigint } from '../../../../core/bytes/integer.ts'
import { keccak256 } from '../../../../core/crypto/crypto.ts'
import { FORKS, type ForkName, forkIsAtLeast } from '../../../../core/genesis/fork.ts'
import { OPCODES } from '../../../../core/evm/interpreter/opcodes.ts'
import {
  BENEFICIARY,
  CALLER,
  CHAIN_ID,
  CONTRACT,
  code,
  reasonOf,
  returning,
  run,
  word,
  type Part,
} from '../harness.ts'

const WORD = (1n << 256n) - 1n

describe('given opcodes', () => {
  test.each([
    ['ADDRESS', bytesToBigint(CONTRACT)],
    ['ORIGIN', bytesToBigint(CALLER)],
    ['CALLER', bytesToBigint(CALLER)],
    ['CALLVALUE', 5n],
    ['CALLDATASIZE', 33n],
    ['CODESIZE', 9n],
    ['GASPRICE', 9n],
    ['COINBASE', bytesToBigint(BENEFICIARY)],
    ['TIMESTAMP', 1_700_000_000n],
    ['NUMBER', 100n],
    ['PREVRANDAO', 0x5eedn],
    ['GASLIMIT', 30_000_000n],
    ['CHAINID', CHAIN_ID],
    ['SELFBALANCE', 1n << 200n],
    ['BASEFEE', 7n],
    ['BLOBBASEFEE', 3n],
    ['PC', 0n],
    ['MSIZE', 0n],
    ['RETURNDATASIZE', 0n],
  ])('when %s runs, then the answer is right', (name, expected) => {
    const { value } = run(returning(name), {
      installed: { balance: (1n << 200n) - 5n },
      message: { value: 5n, data: new Uint8Array(33), maxFeePerGas: 9n, maxPriorityFeePerGas: 9n },
    })
    expect(value).toBe(expected)
  })

  test('when PREVRANDAO runs before Paris, then it is the difficulty', () => {
    expect(run(returning('PREVRANDAO'), { fork: 'london' }).value).toBe(131072n)
  })

  test('when CALLDATALOAD reads past the end, then it pads with zeros', () => {
    const data = Uint8Array.from({ length: 40 }, (_, i) => i + 1)
    const load = (offset: bigint): bigint =>
      run(returning(offset, 'CALLDATALOAD'), { message: { data } }).value
    expect(load(0n)).toBe(bytesToBigint(data.subarray(0, 32)))
    expect(load(8n)).toBe(bytesToBigint(data.subarray(8, 40)))
    expect(load(36n)).toBe(bytesToBigint(data.subarray(36, 40)) << 224n)
    expect(load(40n)).toBe(0n)
    expect(load(WORD)).toBe(0n)
  })

  test('when BLOCKHASH runs, then it knows the 256 blocks before', () => {
    const hashOf = (number: bigint | number): bigint =>
      run(returning(number, 'BLOCKHASH'), { environment: { number: 1000n } }).value
    expect(hashOf(999)).toBe(1_000_999n)
    expect(hashOf(744)).toBe(1_000_744n)
    expect(hashOf(743)).toBe(0n)
    expect(hashOf(1000)).toBe(0n)
    expect(hashOf(WORD)).toBe(0n)
  })

  test('when BLOBHASH runs, then it gives the transaction’s hashes, zero beyond them', () => {
    const hashes = [word(0x01n << 248n), word((0x01n << 248n) + 5n)]
    const hashAt = (index: bigint): bigint =>
      run(returning(index, 'BLOBHASH'), { message: { blobVersionedHashes: hashes } }).value
    expect(hashAt(1n)).toBe((0x01n << 248n) + 5n)
    expect(hashAt(2n)).toBe(0n)
    expect(hashAt(WORD)).toBe(0n)
  })

  test('when KECCAK256 runs, then it hashes memory, even none of it', () => {
    const hashed = run(returning(7, 0, 'MSTORE', 32, 0, 'KECCAK256')).value
    expect(hashed).toBe(bytesToBigint(keccak256(word(7))))
    expect(run(returning(0, WORD, 'KECCAK256')).value).toBe(bytesToBigint(keccak256(new Uint8Array(0))))
  })

  test('when MSTORE8 runs, then it stores the last byte', () => {
    expect(run(returning(0x1234, 31, 'MSTORE8', 0, 'MLOAD')).value).toBe(0x34n)
    expect(run(returning(WORD - 1n, 31, 'MSTORE8', 0, 'MLOAD')).value).toBe(0xfen)
  })

  test('when MCOPY ranges overlap, then it copies as if through a buffer (EIP-5656)', () => {
    const stored = 0x0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20n
    const moved = run(code(stored, 0, 'MSTORE', 31, 0, 1, 'MCOPY', 32, 0, 'RETURN'))
    expect(moved.value).toBe((0x01n << 248n) | (stored >> 8n))
  })

  test('when SWAP and DUP run, then they reach sixteen deep, in both forms of items', () => {
    const items = Array.from({ length: 17 }, (_, i) => (i % 2 === 0 ? BigInt(i) : (1n << 200n) + BigInt(i)))
    expect(run(returning(...items, 'DUP16')).value).toBe(items[1] as bigint)
    expect(run(returning(...items, 'SWAP16')).value).toBe(0n)
    expect(run(returning(...items, 'SWAP15 POP', ...Array(15).fill('POP'))).value).toBe(items[0] as bigint)
  })

  test('when a fork is active, then its opcodes are known, and not before', () => {
    for (const opcode of OPCODES) {
      if (opcode === undefined) continue
      const operands = Array.from({ length: opcode.inputs }, () => 0)
      for (const fork of FORKS) {
        const reason = reasonOf(run(code(...operands, opcode.name), { fork }))
        const isKnown = forkIsAtLeast(fork, opcode.since) && opcode.name !== 'INVALID'
        const answer: string[] = [
          opcode.name,
          fork,
          reason?.startsWith('Invalid opcode') === true ? 'unknown' : 'known',
        ]
        expect(answer).toEqual([opcode.name, fork, isKnown ? 'known' : 'unknown'])
      }
    }
  })
})

describe('given jumps', () => {
  test('when the target is a JUMPDEST, then they go there; within the data of a PUSH they halt', () => {
    expect(run(returning(5, 'JUMP INVALID INVALID JUMPDEST', 1)).value).toBe(1n)
    expect(reasonOf(run(code(4, 'JUMP', Uint8Array.of(0x61, 0x5b, 0x5b))))).toBe('Bad jump destination')
    expect(reasonOf(run(code(0, 'JUMP')))).toBe('Bad jump destination')
    expect(reasonOf(run(code(WORD, 'JUMP')))).toBe('Bad jump destination')
  })

  test('when the target is computed, then they work the same', () => {
    expect(run(returning(4, 4, 'ADD JUMP INVALID INVALID JUMPDEST', 1)).value).toBe(1n)
    expect(reasonOf(run(code(4, 3, 'ADD JUMP INVALID INVALID JUMPDEST')))).toBe('Bad jump destination')
  })

  test('when they are conditional, then the target counts only when they are taken', () => {
    expect(run(returning(0, WORD, 'JUMPI', 3)).value).toBe(3n)
    expect(run(returning(0, 'DUP1 JUMPI', 3)).value).toBe(3n)
    expect(reasonOf(run(code(WORD, 0, 'JUMPI')))).toBe('Bad jump destination')
  })
})

describe('given fixed gas by fork', () => {
  const gasOf = (fork: ForkName, ...parts: readonly Part[]): bigint => run(code(...parts), { fork }).gas

  test.each([
    ['frontier', 50n, 20n, 20n],
    ['tangerineWhistle', 200n, 400n, 700n],
    ['byzantium', 200n, 400n, 700n],
    ['istanbul', 800n, 700n, 700n],
    ['berlin', 2100n, 2600n, 2600n],
    ['osaka', 2100n, 2600n, 2600n],
  ] as const)(
    'when it is %s, then SLOAD costs %p, BALANCE %p, EXTCODESIZE %p',
    (fork, sload, balance, codeSize) => {
      expect(gasOf(fork, 1, 'SLOAD')).toBe(3n + sload)
      expect(gasOf(fork, 0x9999, 'BALANCE')).toBe(3n + balance)
      expect(gasOf(fork, 0x9999, 'EXTCODESIZE')).toBe(3n + codeSize)
    },
  )

  test('when an account is accessed twice, then the second access costs 100 (EIP-2929)', () => {
    expect(gasOf('berlin', 1, 'SLOAD', 1, 'SLOAD')).toBe(6n + 2200n)
    expect(gasOf('berlin', 0x9999, 'BALANCE', 0x9999, 'EXTCODEHASH')).toBe(6n + 2700n)
    expect(gasOf('berlin', 4, 'BALANCE')).toBe(3n + 100n)
    expect(gasOf('berlin', 'COINBASE BALANCE')).toBe(2n + 2600n)
    expect(gasOf('shanghai', 'COINBASE BALANCE')).toBe(2n + 100n)
  })

  test('when EXP runs, then each byte of the exponent costs (EIP-160)', () => {
    expect(gasOf('homestead', 0x10000, 2, 'EXP')).toBe(6n + 10n + 30n)
    expect(gasOf('spuriousDragon', 0x10000, 2, 'EXP')).toBe(6n + 10n + 150n)
    expect(gasOf('spuriousDragon', 0, 2, 'EXP')).toBe(6n + 10n)
  })

  test('when memory grows, then a word costs 3, and the square of the words over 512', () => {
    expect(gasOf('osaka', 0, 'MLOAD')).toBe(3n + 3n + 3n)
    expect(gasOf('osaka', 1, 'MLOAD')).toBe(3n + 3n + 6n)
    expect(gasOf('osaka', 32 * 1023, 'MLOAD')).toBe(3n + 3n + 3n * 1024n + 2048n)
  })

  test.each([
    'MLOAD',
    'MSTORE',
    'MSTORE8',
    'CALLDATACOPY',
    'CODECOPY',
    'KECCAK256',
    'LOG0',
    'RETURN',
    'REVERT',
    'MCOPY',
    'CREATE',
  ])('when %s reaches beyond any memory, then it is out of gas, whatever the gas', name => {
    for (const far of [2n ** 32n, 2n ** 53n - 1n, 2n ** 64n, WORD])
      for (const operands of [
        [far, far, far],
        [1n, 1n, far],
        [1n, far, far],
        [far, 1n, far],
      ])
        expect(reasonOf(run(code(...operands, name), { message: { gasLimit: 2n ** 62n } })) ?? 'ran').toMatch(
          /Out of gas|Code is too large|ran/,
        )
    const huge = run(code(2n ** 40n, 0, 0, 'CALLDATACOPY'), { message: { gasLimit: 2n ** 62n } })
    expect(reasonOf(huge)).toBe('Out of gas')
  })

  test('when an empty range has any offset, then it costs no memory', () => {
    expect(gasOf('osaka', 0, WORD, 'KECCAK256')).toBe(6n + 30n)
    expect(reasonOf(run(code(0, WORD, 'RETURN')))).toBeUndefined()
  })
})

describe('given code that halts', () => {
  test.each([
    ['Stack underflow', code(1, 'ADD')],
    ['Stack underflow', code(1, 'POP POP')],
    ['Invalid opcode: 0xfe', code(1, 'INVALID')],
    ['Invalid opcode: 0x0c', Uint8Array.of(0x0c)],
    ['Invalid opcode: 0xef', Uint8Array.of(0xef)],
    ['Out of stack', Uint8Array.from({ length: 1025 }, () => 0x30)],
    ['Out of bounds', code(1, 0, 0, 'RETURNDATACOPY')],
    ['Out of bounds', code(0, 1, 0, 'RETURNDATACOPY')],
    ['Out of gas', code(2n ** 31n, 'MLOAD')],
  ])('when it has %s, then the reason says so', (reason, bytes) => {
    expect(reasonOf(run(bytes))).toBe(reason)
  })

  test('when it pushes more than 1,024 items, or the configured limit, then it halts', () => {
    const full = Uint8Array.from({ length: 1024 }, () => 0x30)
    expect(reasonOf(run(full))).toBeUndefined()
    const { rules } = {
      rules: {
        fork: 'osaka',
        chainId: 1n,
        blob: undefined,
        codeSizeMax: 1,
        stackItemsMax: 3,
        transactionGasMax: undefined,
      } as const,
    }
    expect(reasonOf(run(code(1, 2, 3), { environment: { rules } }))).toBeUndefined()
    expect(reasonOf(run(code(1, 2, 3, 4), { environment: { rules } }))).toBe('Out of stack')
  })

  test('when a loop runs out of gas, then it ends at the unpaid instruction', () => {
    const { result } = run(code('JUMPDEST', 0, 'JUMP'), { message: { gasLimit: 21_100n } })
    expect(result.gasUsed).toBe(21_100n)
    expect(result.failure).toEqual({ kind: 'halt', reason: 'Out of gas' })
  })

  test('when it runs past its end, even within a PUSH, then it stops', () => {
    expect(run(Uint8Array.of(0x61, 0x01)).result.success).toBe(true)
    expect(run(code(1)).result.success).toBe(true)
  })
})
