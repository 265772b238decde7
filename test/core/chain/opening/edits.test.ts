import { describe, expect, test } from 'bun:test'
import { toHex } from '../../../../core/bytes/hex.ts'
import { openChain } from '../../../../core/chain/opening/openChain.ts'
import { parseGenesis } from '../../../../core/genesis/parse/parse.ts'
import { type EditList, editListOf, type StateEdit } from '../../../../core/state/edits.ts'
import { openChainStore } from '../../../../core/store/chainStore.ts'
import { keyValueOfDriver } from '../../../../core/store/keyvalue/driverStore.ts'
import { openMemoryDriver } from '../../../../runtime/drivers/memory.ts'
import { extend, genesisFile, openTestChain, transfer } from '../support/chain.ts'
import { OUTSIDER, USERS } from '../support/keys.ts'

const [ALICE] = USERS
const POOR = OUTSIDER.address
const SLOT = new Uint8Array(32).fill(1)
const VALUE = new Uint8Array(32).fill(2)
const CODE = Uint8Array.of(0x60, 0x00)

const openEdited = async (edits: Map<bigint, EditList>) =>
  openChain({
    genesis: parseGenesis(genesisFile({ fork: 'prague' })),
    store: await openChainStore(keyValueOfDriver(openMemoryDriver(), 'none'), { rewinds: true }),
    editsAfter: number => edits.get(number),
    onError: error => {
      throw error
    },
  })

const EDITS: readonly StateEdit[] = [
  { kind: 'balance', address: POOR, wei: 10n ** 18n },
  { kind: 'nonce', address: POOR, nonce: 7n },
  { kind: 'code', address: ALICE.address.map(byte => byte ^ 1), code: CODE },
  { kind: 'slot', address: ALICE.address.map(byte => byte ^ 1), slot: SLOT, value: VALUE },
]

describe('given a state that was edited after a block', () => {
  test('when it is read before the next block, then it has the edits, and the state before them is unchanged', async () => {
    const edits = new Map<bigint, EditList>()
    const chain = await openEdited(edits)
    await extend(chain)
    edits.set(1n, editListOf(EDITS))
    const reader = chain.store.stateAt(1n)
    const contract = ALICE.address.map(byte => byte ^ 1)
    const account = reader.account(contract)
    expect(reader.account(POOR)).toMatchObject({ balance: 10n ** 18n, nonce: 7n })
    expect(account === undefined ? '' : toHex(reader.code(account.codeHash))).toBe(toHex(CODE))
    expect(account === undefined ? '' : toHex(reader.storage(contract, account, SLOT))).toBe(toHex(VALUE))
    expect(chain.store.stateAt(0n).account(POOR)).toBeUndefined()
  })

  test('when the next block is built, then its transactions run on the edits, and its state root has them', async () => {
    const edits = new Map<bigint, EditList>([[1n, editListOf(EDITS)]])
    const chain = await openEdited(edits)
    const plain = await openTestChain()
    await extend(chain)
    await extend(plain)
    const block = await extend(chain, [transfer(OUTSIDER, 7)])
    const without = await extend(plain, [])
    expect(block.transactions.length).toBe(1)
    expect(toHex(block.header.stateRoot)).not.toBe(toHex(without.header.stateRoot))
    expect(chain.store.stateAt(2n).account(POOR)?.nonce).toBe(8n)
    await extend(chain)
    expect(chain.store.stateAt(3n).account(POOR)?.nonce).toBe(8n)
  })

  test('when the chain goes back before the edits, then they are gone with the later blocks', async () => {
    const edits = new Map<bigint, EditList>([[1n, editListOf(EDITS)]])
    const chain = await openEdited(edits)
    const heads: bigint[] = []
    chain.onRewind(({ header }) => heads.push(header.number))
    await extend(chain)
    await extend(chain, [transfer(OUTSIDER, 7)])
    edits.clear()
    await chain.rewind(1n)
    expect(heads).toEqual([1n])
    expect(chain.store.stateAt(1n).account(POOR)).toBeUndefined()
    await extend(chain, [transfer(ALICE, 0)])
    expect(chain.head().header.number).toBe(2n)
  })
})
