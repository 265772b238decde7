import { beforeAll, describe, expect, test } from 'bun:test'
import { EMPTY_BYTES } from '../../../core/bytes/bytes.ts'
import { fromHex, toHex } from '../../../core/bytes/hex.ts'
import type { Transaction } from '../../../core/block/transaction.ts'
import type { Chain } from '../../../core/chain/chain.ts'
import { openChain } from '../../../core/chain/opening/openChain.ts'
import { parseGenesisText } from '../../../core/genesis/parse/parse.ts'
import { openChainStore } from '../../../core/store/chainStore.ts'
import { refusedByContract } from '../../../runtime/permissions/accountContract.ts'
import { memoryStore } from '../../core/chain/support/memory.ts'
import { code, type Part } from '../../core/evm/harness.ts'
import { genesisText, testAddress } from '../genesis.ts'

/** Returns a word. */
const returning = (value: bigint | number, size = 32): Uint8Array =>
  code(value, 0, 'MSTORE', size, 0, 'RETURN')
const forever = (...body: readonly Part[]): Uint8Array => code('JUMPDEST', body, 0, 'JUMP')

const LIMIT = '(its limit is 500000 gas)'
const NO_BOOL = 'does not answer transactionAllowed with a bool'

/** What a contract does, its code, and what is said of it; undefined where it permits the sender. */
const CONTRACTS: readonly (readonly [what: string, code: Uint8Array, said: string | undefined])[] = [
  ['permits', returning(1), undefined],
  ['refuses', returning(0), 'does not allow it to 0x7e5f4552091a69125d5dfcb7b8c2659029395bdf'],
  ['is not there', EMPTY_BYTES, NO_BOOL],
  ['returns nothing', code('STOP'), NO_BOOL],
  ['returns a number', returning(2), NO_BOOL],
  ['returns garbage that ends like true', returning((1n << 255n) + 1n), NO_BOOL],
  ['returns 300 KB', returning(1, 300 * 1024), NO_BOOL],
  ['returns 1 MB', returning(1, 2 ** 20), LIMIT],
  ['reverts', code(0, 0, 'REVERT'), `failed: Execution reverted ${LIMIT}`],
  ['reverts with 300 KB', code(300 * 1024, 0, 'REVERT'), `failed: Execution reverted ${LIMIT}`],
  ['runs an invalid instruction', Uint8Array.of(0xfe), LIMIT],
  ['loops', forever(), LIMIT],
  ['calls itself without end', forever([0, 0, 0, 0, 0, 'ADDRESS', 'GAS', 'CALL', 'POP']), LIMIT],
  ['hashes much memory', forever(300 * 1024, 0, 'KECCAK256 POP'), LIMIT],
  ['destroys itself', code(0, 'SELFDESTRUCT'), NO_BOOL],
  ['writes and then permits', code(7, 0, 'SSTORE', 1, 0, 'MSTORE', 32, 0, 'RETURN'), undefined],
]

const addressOf = (index: number): string => `0x${(0x1000 + index).toString(16).padStart(40, '0')}`

const TRANSACTION = {
  to: new Uint8Array(20).fill(8),
  value: 1n,
  maxFeePerGas: 1n,
  gasLimit: 21_000n,
  data: new Uint8Array(100),
} as unknown as Transaction

describe('given a permission contract', () => {
  let chain: Chain
  const ask = (index: number): string | undefined =>
    refusedByContract(chain, fromHex(addressOf(index)), testAddress(1), TRANSACTION)

  beforeAll(async () => {
    const { alloc, ...rest } = JSON.parse(genesisText()) as { readonly alloc: object }
    const contracts = CONTRACTS.map(([, bytes], index) => [
      addressOf(index),
      { balance: '0x0', code: toHex(bytes) },
    ])
    chain = await openChain({
      genesis: parseGenesisText(
        JSON.stringify({ ...rest, alloc: { ...alloc, ...Object.fromEntries(contracts) } }),
      ),
      store: await openChainStore(memoryStore()),
      onError: error => {
        throw error
      },
    })
  })

  for (const [index, [what, , said]] of CONTRACTS.entries())
    test(`when it ${what}, then ${said === undefined ? 'the sender may send' : `one sentence says so: ${said}`}`, () => {
      const refusal = ask(index)
      if (said === undefined) return expect(refusal).toBeUndefined()
      expect(refusal).toStartWith(`the permission contract ${addressOf(index)} `)
      expect(refusal).toEndWith(said)
      expect(refusal?.length).toBeLessThan(250)
    })

  test('when a deployment of 100 KB is submitted, then its length is no reason to refuse it', () => {
    const deployment = { ...TRANSACTION, to: undefined, data: new Uint8Array(100_000).fill(1) }
    expect(refusedByContract(chain, fromHex(addressOf(0)), testAddress(1), deployment)).toBeUndefined()
  })

  test('when each was called, then the state is what it was, and the one that destroyed itself is there', () => {
    const before = toHex(chain.head().header.stateRoot)
    for (const index of CONTRACTS.keys()) ask(index)
    expect(toHex(chain.head().header.stateRoot)).toBe(before)
    const destroyed = CONTRACTS.findIndex(([what]) => what === 'destroys itself')
    expect(chain.store.stateAt(0n).account(fromHex(addressOf(destroyed)))).toBeDefined()
  })
})
