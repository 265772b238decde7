import { describe, expect, test } from 'bun:test'
import { ZERO_HASH } from '../../../core/bytes/bytes.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT } from '../../../core/crypto/constants.ts'
import type { StateReader } from '../../../core/state/account.ts'
import { createWorldState } from '../../../core/state/worldState.ts'
import type { ForkName } from '../../../core/genesis/fork.ts'
import { address, CALLER, CONTRACT, code, NOTHING, returning, run, word, type Part } from './harness.ts'

const RIPEMD = address(3)
const EMPTY = address(0xe0e0)

/** A state from before EIP-161, in which two accounts are empty, and the contract given. */
const oldState = (runtimeCode: Uint8Array) => {
  const empty = {
    nonce: 0n,
    balance: 0n,
    codeHash: EMPTY_CODE_HASH,
    storageRoot: EMPTY_TRIE_ROOT,
    incarnation: 0n,
  }
  const reader: StateReader = {
    account: at => ((at[19] === 3 && at[18] === 0) || at[19] === 0xe0 ? empty : undefined),
    storage: () => ZERO_HASH,
    code: () => runtimeCode,
  }
  const world = createWorldState(reader)
  world.setCode(CONTRACT, runtimeCode)
  return world
}

const callingEmpty = (fork: ForkName, ...parts: readonly Part[]) =>
  run(new Uint8Array(0), { fork, world: oldState(code(...parts)) })

describe('given empty accounts (EIP-161)', () => {
  const touchEmpty = [0, 0, 0, 0, 0, 0xe0e0, 100_000, 'CALL'] as const

  test('when a transaction touches them, then they stay before Spurious Dragon and go afterwards', () => {
    expect(callingEmpty('tangerineWhistle', ...touchEmpty).world.exists(EMPTY)).toBe(true)
    expect(callingEmpty('spuriousDragon', ...touchEmpty).world.exists(EMPTY)).toBe(false)
    expect(callingEmpty('spuriousDragon', 0xe0e0, 'BALANCE').world.exists(EMPTY)).toBe(true)
  })

  test('when the touching call fails, then they stay, but for the RIPEMD precompile', () => {
    const world = oldState(code(0, 0, 0, 0, 0, 0x9999, 200_000, 'CALL'))
    world.setCode(address(0x9999), code(...touchEmpty, [0, 0, 0, 0, 0, 3, 10, 'CALL'], 'INVALID'))
    run(new Uint8Array(0), { fork: 'spuriousDragon', world })
    expect([world.exists(EMPTY), world.exists(RIPEMD)]).toEqual([true, false])
  })

  test('when their code hash is read, then it is zero', () => {
    expect(run(returning(0xe0e0, 'EXTCODEHASH'), { fork: 'constantinople' }).value).toBe(0n)
  })
})

describe('given an account created and destroyed in one transaction', () => {
  test('when it ends, then neither account nor slots nor code remain', () => {
    const { world, result } = run(new Uint8Array(0), {
      fork: 'shanghai',
      world: createWorldState(NOTHING),
      message: { to: undefined, data: code(7, 7, 'SSTORE', 0xabc, 'SELFDESTRUCT') },
    })
    expect(result.success).toBe(true)
    const { accounts, codes } = world.changes(5n)
    expect(accounts.map(change => change.address)).toEqual([CALLER])
    expect(codes).toEqual([])
  })

  test('when the next one creates it again, then its storage is empty', () => {
    const world = oldState(new Uint8Array(0))
    world.setCode(
      CONTRACT,
      code('CALLDATASIZE', 12, 'JUMPI', 5, 1, 'SSTORE STOP INVALID INVALID JUMPDEST', 0, 'SELFDESTRUCT'),
    )
    run(new Uint8Array(0), { fork: 'shanghai', world })
    expect(world.storage(CONTRACT, word(1))).toEqual(word(5))
    run(new Uint8Array(0), { fork: 'shanghai', world, message: { data: Uint8Array.of(1) } })
    expect(world.exists(CONTRACT)).toBe(false)
    world.setCode(CONTRACT, code('STOP'))
    expect(world.storage(CONTRACT, word(1))).toEqual(ZERO_HASH)
  })
})
