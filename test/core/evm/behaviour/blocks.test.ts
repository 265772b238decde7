import { describe, expect, test } from 'bun:test'
import { equalBytes, type Address } from '../../../../core/bytes/bytes.ts'
import { toHex } from '../../../../core/bytes/hex.ts'
import { bigintToFixedBytes } from '../../../../core/bytes/integer.ts'
import { EMPTY_TRIE_ROOT } from '../../../../core/crypto/constants.ts'
import { keccak256 } from '../../../../core/crypto/crypto.ts'
import { create2Address, createAddress } from '../../../../core/evm/frames/address.ts'
import type { StateChanges } from '../../../../core/state/account.ts'
import type { FirstAccount } from './memoryState.ts'
import {
  address,
  assemble,
  CONTRACT,
  createChain,
  deploying,
  inMemory,
  reasonOf,
  RETURN_TOP,
  run,
  SENDER,
  slotOf,
  word,
} from './support.ts'

/** With data it self-destructs to 0x4e14, without it counts its calls in slot 1. */
const MORTAL = assemble('CALLDATASIZE @end JUMPI 1 SLOAD 1 ADD 1 SSTORE STOP end: 0x4e14 SELFDESTRUCT')
const INIT = deploying(MORTAL)
const HEIR = address(0x4e14)

/** A contract that creates MORTAL with CREATE2, salt 7, and the money it was sent. */
const FACTORY = assemble(`${inMemory(INIT)} 7 ${INIT.length} 0 CALLVALUE CREATE2 ${RETURN_TOP}`)
const CHILD = create2Address(CONTRACT, word(7), keccak256(INIT))

const changeOf = ({ accounts }: StateChanges, at: Address) =>
  accounts.find(change => equalBytes(change.address, at))

const factoryChain = (fork: 'shanghai' | 'cancun', child?: FirstAccount) =>
  createChain(fork, [
    [CONTRACT, { code: FACTORY, nonce: 1n }],
    ...(child === undefined ? [] : [[CHILD, child] as const]),
  ])

describe('given a contract that is destroyed and created again', () => {
  test('when that is in a later block, then it has a new storage', () => {
    const chain = factoryChain('shanghai')
    chain.send({ value: 5n })
    chain.send({ to: CHILD })
    const first = changeOf(chain.seal(), CHILD)
    expect(first?.after).toMatchObject({ nonce: 1n, balance: 5n, incarnation: 100n })
    expect(chain.state.slotsOf(CHILD).size).toBe(1)

    chain.send({ to: CHILD, data: word(1) })
    const second = changeOf(chain.seal(), CHILD)
    expect([second?.before?.incarnation, second?.after, second?.slots]).toEqual([100n, undefined, []])

    chain.send()
    chain.send({ to: CHILD })
    expect(slotOf(chain.world(), CHILD, 1)).toBe(1n)
    const third = changeOf(chain.seal(), CHILD)
    expect([third?.before, third?.after?.incarnation, third?.after?.balance]).toEqual([undefined, 102n, 0n])
    expect(third?.slots).toEqual([{ slot: word(1), before: word(0), after: word(1) }])
  })

  test('when that is in the same block, then its storage is empty and the account stays', () => {
    const chain = factoryChain('shanghai')
    chain.send()
    chain.send({ to: CHILD })
    chain.send({ to: CHILD })
    chain.seal()
    chain.send({ to: CHILD, data: word(1) })
    expect(chain.world().exists(CHILD)).toBe(false)
    chain.send()
    chain.send({ to: CHILD })
    const change = changeOf(chain.seal(), CHILD)
    expect([change?.before?.incarnation, change?.after?.incarnation]).toEqual([100n, 101n])
    expect(change?.after?.storageRoot).toEqual(EMPTY_TRIE_ROOT)
    expect(change?.slots).toEqual([{ slot: word(1), before: word(0), after: word(1) }])
    expect([...chain.state.slotsOf(CHILD).values()]).toEqual([word(1)])
  })

  test('when both happen within one block, then nothing of it remains', () => {
    const chain = factoryChain('shanghai')
    chain.send({ value: 5n })
    chain.send({ to: CHILD, data: word(1) })
    const changes = chain.seal()
    expect([changeOf(changes, CHILD), changes.codes]).toEqual([undefined, []])
    expect(chain.world().balance(HEIR)).toBe(5n)
  })
})

describe('given SELFDESTRUCT from Cancun on (EIP-6780)', () => {
  test('when it runs in a later transaction of the same block, then it only sends the balance', () => {
    const chain = factoryChain('cancun')
    chain.send({ value: 5n })
    chain.send({ to: CHILD })
    chain.send({ to: CHILD, data: word(1) })
    expect([chain.world().balance(CHILD), chain.world().balance(HEIR)]).toEqual([0n, 5n])
    const change = changeOf(chain.seal(), CHILD)
    expect([change?.after?.nonce, change?.slots.length]).toEqual([1n, 1])
    expect(chain.world().code(CHILD)).toEqual(MORTAL)
  })

  const BURNING = deploying(assemble('ADDRESS SELFDESTRUCT'))
  const BURNT = createAddress(CONTRACT, 0n)

  test('when the beneficiary is the contract itself, then a contract of the same transaction burns the balance, others keep it', () => {
    const call = '0 0 0 0 0 DUP6 100000 CALL'
    const chain = createChain('cancun', [
      [CONTRACT, { code: assemble(`${inMemory(BURNING)} ${BURNING.length} 0 CALLVALUE CREATE ${call}`) }],
    ])
    chain.send({ value: 9n })
    expect([chain.world().exists(BURNT), chain.world().balance(CONTRACT)]).toEqual([false, 0n])

    const later = run(BURNING.slice(-2), { fork: 'cancun', contract: { balance: 9n } })
    expect(later.success).toBe(true)
    expect(later.chain.world().balance(CONTRACT)).toBe(9n)
  })

  test('when value arrives afterwards, then it is lost with a contract of the same transaction', () => {
    const call = (wei: number) => `0 0 0 0 ${wei} DUP6 100000 CALL POP`
    const dying = deploying(assemble('0x4e14 SELFDESTRUCT'))
    const chain = createChain('cancun', [
      [
        CONTRACT,
        {
          balance: 9n,
          // The second call runs the code once more, the third only finds what is left.
          code: assemble(
            `${inMemory(dying)} ${dying.length} 0 1 CREATE ${call(2)} ${call(3)} DUP1 EXTCODESIZE ${RETURN_TOP}`,
          ),
        },
      ],
    ])
    const { output } = chain.send()
    expect(output).toEqual(word(assemble('0x4e14 SELFDESTRUCT').length))
    expect(chain.world().balance(HEIR)).toBe(6n)
    expect(chain.world().exists(BURNT)).toBe(false)
  })

  test('when it runs in the initialization code, then neither account nor code remain', () => {
    const { chain, value } = run(`${inMemory(assemble('0x4e14 SELFDESTRUCT'))} 4 0 3 CREATE ${RETURN_TOP}`, {
      fork: 'cancun',
      contract: { balance: 3n },
    })
    expect(bigintToFixedBytes(value, 20)).toEqual(BURNT)
    expect([chain.world().exists(BURNT), chain.world().balance(HEIR)]).toEqual([false, 3n])
  })
})

describe('given an address that is in use', () => {
  test.each([
    ['a nonce', { nonce: 1n }],
    ['code', { code: MORTAL }],
    ['a storage left behind (EIP-7610)', { storage: { 9: 1n } }],
  ] as const)('when %s is in the state, then CREATE2 answers zero and uses its gas', (_, child) => {
    const chain = factoryChain('cancun', child)
    const { output, gasUsedMax } = chain.send({ gasLimit: 1_000_000n })
    expect(output).toEqual(word(0))
    expect(gasUsedMax > 900_000n).toBe(true)
    expect(chain.world().nonce(CONTRACT)).toBe(2n)
    chain.seal()
    expect(chain.state.slotsOf(CHILD).size).toBe('storage' in child ? 1 : 0)
  })

  test('when a transaction creates there, then it loses all gas and the sender’s nonce grows', () => {
    const chain = createChain('cancun', [[createAddress(SENDER, 0n), { storage: { 9: 1n }, balance: 2n }]])
    const outcome = chain.send({ to: undefined, data: INIT, value: 4n, gasLimit: 200_000n })
    expect([reasonOf(outcome), outcome.gasUsed]).toEqual(['Illegal state change', 200_000n])
    expect(chain.world().balance(createAddress(SENDER, 0n))).toBe(2n)
  })

  test('when it has a balance alone, then the creation succeeds and the balance stays', () => {
    const chain = factoryChain('cancun', { balance: 2n })
    chain.send({ value: 3n })
    expect(toHex(chain.world().code(CHILD))).toBe(toHex(MORTAL))
    const { before, after } = changeOf(chain.seal(), CHILD) ?? {}
    expect([before?.balance, after?.balance, after?.incarnation]).toEqual([2n, 5n, 0n])
  })

  test('when one transaction creates twice, then the second creation fails', () => {
    const { length } = INIT
    const create = `7 ${length} 0 0 CREATE2`
    const { value, chain } = run(`${inMemory(INIT)} ${create} POP ${create} ${RETURN_TOP}`)
    expect([value, chain.world().nonce(CONTRACT)]).toEqual([0n, 2n])
    expect(chain.world().code(CHILD)).toEqual(MORTAL)
  })
})

test('given a failed creation, when its address is accessed, then it is still warm (EIP-2929)', () => {
  const failing = assemble('0 0 REVERT')
  const made = create2Address(CONTRACT, word(7), keccak256(failing))
  const create = `${inMemory(failing)} 7 ${failing.length} 0 0 CREATE2 POP`
  const look = `${toHex(made)} BALANCE`
  const without = run(create)
  expect(run(`${create} ${look}`).gas - without.gas).toBe(3n + 100n)
  expect(run(`${look} ${create}`).gas - without.gas).toBe(3n + 2600n)
})

test('given accounts that end as they began, when the block ends, then they are no changes', () => {
  const chain = createChain('osaka', [
    [CONTRACT, { code: assemble('CALLDATASIZE 1 SSTORE'), storage: { 1: 3n } }],
  ])
  chain.send({ data: new Uint8Array(9) })
  chain.send({ data: new Uint8Array(0) })
  chain.send({ data: new Uint8Array(3) })
  expect(changeOf(chain.seal(), CONTRACT)).toBeUndefined()
})
