import { plainHeader } from './plainHeader.ts'
import { type Address, EMPTY_BYTES, equalBytes, ZERO_HASH } from '../../../core/bytes/bytes.ts'
import { toBareHex } from '../../../core/bytes/hex.ts'
import { bigintToFixedBytes } from '../../../core/bytes/integer.ts'
import { rawHeaderHash } from '../../../core/block/codec/header.ts'
import { transactionOf } from '../../../core/block/codec/transaction.ts'
import type { Header } from '../../../core/block/header.ts'
import type { Receipt } from '../../../core/block/receipt.ts'
import type { Transaction } from '../../../core/block/transaction.ts'
import { EMPTY_CODE_HASH, EMPTY_LIST_HASH, EMPTY_TRIE_ROOT } from '../../../core/crypto/constants.ts'
import { keccak256 } from '../../../core/crypto/crypto.ts'
import type { Account, AccountChange, SlotChange } from '../../../core/state/account.ts'
import type { BlockCommit } from '../../../core/store/store.ts'
import { updateStateRoot } from '../../../core/trie/state/stateRoot.ts'
import { seededRandom } from '../random.ts'
import { BARE_FIELDS } from './bareFields.ts'

type Random = ReturnType<typeof seededRandom>

/** The state after one block, as plain maps: what a store must answer. */
export type ModelState = {
  /** By bare hex address. */
  readonly accounts: ReadonlyMap<string, Account>
  /** By bare hex address, incarnation and slot; also those of accounts that are gone. */
  readonly slots: ReadonlyMap<string, Uint8Array>
}

export type SampleChain = {
  readonly commits: readonly BlockCommit[]
  /** After each block. */
  readonly states: readonly ModelState[]
  readonly addresses: readonly Address[]
  readonly slots: readonly Uint8Array[]
}

export type SampleChainOptions = {
  readonly seed: number
  readonly blocks: number
  readonly accounts: number
  readonly slots: number
  /** Up to how many accounts a block changes, beside one that every block changes. */
  readonly changesMax: number
  readonly transactionsMax: number
}

const slotName = (address: Address, incarnation: bigint, slot: Uint8Array): string =>
  `${toBareHex(address)}/${incarnation}/${toBareHex(slot)}`

export const modelAccount = (state: ModelState, address: Address): Account | undefined =>
  state.accounts.get(toBareHex(address))

export const modelSlot = (
  state: ModelState,
  address: Address,
  account: Account,
  slot: Uint8Array,
): Uint8Array => state.slots.get(slotName(address, account.incarnation, slot)) ?? ZERO_HASH

const sampleTransaction = (random: Random, nonce: number, type: 0 | 2): Transaction =>
  transactionOf({
    type,
    chainId: 1337n,
    nonce: BigInt(nonce),
    maxPriorityFeePerGas: 10n,
    maxFeePerGas: type === 0 ? 10n : 20n,
    gasLimit: 21_000n,
    to: random.below(4) === 0 ? undefined : random.bytes(20),
    value: BigInt(random.word()),
    data: random.bytes(random.below(40)),
    ...BARE_FIELDS,
    yParity: random.below(2),
    r: BigInt(random.word()) + 1n,
    s: BigInt(random.word()) + 1n,
  })

const sampleReceipt = (random: Random, { type, to }: Transaction, index: number): Receipt => {
  const logs = Array.from({ length: random.below(3) }, () => ({
    address: random.bytes(20),
    topics: Array.from({ length: random.below(5) }, () => random.bytes(32)),
    data: random.bytes(random.below(70)),
  }))
  const logsBloom = new Uint8Array(256)
  for (let i = 0; i < 3 * logs.length; i++) logsBloom[random.below(256)] = 1 << random.below(8)
  const status = random.below(3) > 0
  return {
    type,
    status,
    postStateRoot: undefined,
    cumulativeGasUsed: 21_000n * BigInt(index + 1),
    logsBloom: random.below(9) === 0 ? random.bytes(256) : logsBloom,
    logs,
    gasUsed: 21_000n,
    effectiveGasPrice: 10n,
    contractAddress: to === undefined ? random.bytes(20) : undefined,
    blobGasUsed: 0n,
    blobGasPrice: 0n,
    revertReason: status ? undefined : random.bytes(random.below(50)),
  }
}

/**
 * A chain that looks random and is the same in every run: accounts are created, changed, deleted and created again with
 * another storage, slots are set and cleared, codes deployed; one account changes in every block. Roots are real.
 */
export const sampleChain = (options: SampleChainOptions): SampleChain => {
  const random = seededRandom(options.seed)
  const addresses = Array.from({ length: options.accounts }, () => random.bytes(20))
  const slots = Array.from({ length: options.slots }, (_, index) =>
    index % 2 === 0 ? bigintToFixedBytes(BigInt(index), 32) : random.bytes(32),
  )
  const records = new Map<string, Uint8Array>()
  const accounts = new Map<string, Account>()
  const values = new Map<string, Uint8Array>()
  const commits: BlockCommit[] = []
  const states: ModelState[] = []
  let parent: { readonly header: Header; readonly hash: Uint8Array } | undefined

  const changeOf = (address: Address, number: bigint, codes: Map<string, Uint8Array>): AccountChange => {
    const before = accounts.get(toBareHex(address))
    const fate = random.below(8)
    if (before !== undefined && fate === 0) return { address, before, after: undefined, slots: [] }
    const fresh = before === undefined || fate === 1
    let codeHash = fresh ? EMPTY_CODE_HASH : before.codeHash
    if (fate === 2 || fate === 3) {
      const code = random.bytes(1 + random.below(60))
      codeHash = keccak256(code)
      codes.set(toBareHex(codeHash), code)
    }
    const incarnation = fresh ? number : before.incarnation
    const changed: SlotChange[] = []
    for (const slot of slots) {
      if (random.below(3) > 0) continue
      const old = fresh ? ZERO_HASH : (values.get(slotName(address, incarnation, slot)) ?? ZERO_HASH)
      const value =
        random.below(3) === 0 ? ZERO_HASH : bigintToFixedBytes(BigInt(1 + random.word()) << 8n, 32)
      if (!equalBytes(old, value)) changed.push({ slot, before: old, after: value })
    }
    const after: Account = {
      nonce: (before?.nonce ?? 0n) + 1n,
      balance: (BigInt(random.word()) << BigInt(random.below(64))) + 1n,
      codeHash,
      storageRoot: fresh ? EMPTY_TRIE_ROOT : before.storageRoot,
      incarnation,
    }
    return { address, before, after, slots: changed }
  }

  for (let number = 0; number < options.blocks; number++) {
    const chosen = new Set([addresses[0] as Address])
    for (let count = random.below(options.changesMax + 1); count > 0; count--)
      chosen.add(addresses[random.below(addresses.length)] as Address)
    const codes = new Map<string, Uint8Array>()
    const drafted = [...chosen].map(address => changeOf(address, BigInt(number), codes))
    const { root, changes, nodes } = updateStateRoot(
      { get: key => records.get(key) },
      parent?.header.stateRoot ?? EMPTY_TRIE_ROOT,
      { accounts: drafted, codes: [...codes.values()].map(code => ({ codeHash: keccak256(code), code })) },
    )
    for (const { key, value } of nodes) {
      if (value === undefined) records.delete(key)
      else records.set(key, value)
    }
    for (const { address, after, slots: changedSlots } of changes.accounts) {
      if (after === undefined) accounts.delete(toBareHex(address))
      else {
        accounts.set(toBareHex(address), after)
        for (const change of changedSlots)
          values.set(slotName(address, after.incarnation, change.slot), change.after)
      }
    }
    const transactions = Array.from({ length: random.below(options.transactionsMax + 1) }, (_, index) =>
      sampleTransaction(random, 1000 * number + index, random.below(2) === 0 ? 0 : 2),
    )
    const header = plainHeader({
      parentHash: parent?.hash ?? ZERO_HASH,
      ommersHash: EMPTY_LIST_HASH,
      stateRoot: root,
      transactionsRoot: EMPTY_TRIE_ROOT,
      receiptsRoot: EMPTY_TRIE_ROOT,
      number: BigInt(number),
      gasLimit: 30_000_000n,
      gasUsed: 21_000n * BigInt(transactions.length),
      timestamp: 1_700_000_000n + BigInt(number),
      extraData: EMPTY_BYTES,
      mixHash: ZERO_HASH,
      baseFeePerGas: 7n,
    })
    const hash = rawHeaderHash(header)
    parent = { header, hash }
    commits.push({
      block: { header, transactions, ommers: [], withdrawals: undefined },
      hash,
      totalDifficulty: BigInt(number + 1),
      senders: transactions.map(() => random.bytes(20)),
      receipts: transactions.map((transaction, index) => sampleReceipt(random, transaction, index)),
      changes,
      nodes,
    })
    states.push({ accounts: new Map(accounts), slots: new Map(values) })
  }
  return { commits, states, addresses, slots }
}
