import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { fromHex, toHex } from '../../../../core/bytes/hex.ts'
import { keccak256 } from '../../../../core/crypto/crypto.ts'
import type { AccountChange } from '../../../../core/state/account.ts'
import { runSteps } from '../../../../core/steps.ts'
import { commitOfSegment } from '../../../../core/store/recovery/recover.ts'
import { encodeSegmentSteps } from '../../../../core/store/segments/segment.ts'
import type { BlockCommit } from '../../../../core/store/store.ts'
import { concatBytes } from '../../../../core/bytes/bytes.ts'
import { createServeRecords } from '../../../../p2p/sync/chain/serveRecords.ts'
import { createYield } from '../../../../runtime/scheduler.ts'
import { until } from '../../../support/until.ts'
import { extend, openTestChain, transfer } from '../../../core/chain/support/chain.ts'
import { USERS, VALIDATORS } from '../../../core/chain/support/keys.ts'
import { grow, logLines, reaches, type WiredNode } from '../support/node.ts'
import { wireEachTest } from '../support/wireEachTest.ts'

setDefaultTimeout(120_000)

const [A, B, C] = VALIDATORS
const [ALICE, BOB] = USERS

const { wire, node } = wireEachTest()

/** Sets a slot, and deploys one byte of code. */
const INIT_CODE = fromHex('0x600160005560016000f3')

/** The block of the deployment, about which peers lie. */
const LIE = 7

/** Blocks 1 to 101; the transactions of the first ten change the state. */
const BLOCKS = 101n
/** The last 64 blocks are executed. */
const RECORDS = Number(BLOCKS) - 64

const fillChain = async ({ chain }: WiredNode): Promise<void> => {
  for (let nonce = 0; nonce < 10; nonce++)
    await extend(chain, [
      transfer(
        ALICE,
        nonce,
        nonce + 1 === LIE ? { to: undefined, data: INIT_CODE, gasLimit: 200_000n } : { to: BOB.address },
      ),
    ])
  await grow(chain, Number(BLOCKS) - 10)
}

/** A node with `--sync-mode=SNAP`. */
const snapNode = async (key: typeof B) => {
  const chain = await openTestChain()
  return node(key, { chain, importRecord: chain.importRecord })
}

const expectSame = async (one: WiredNode, other: WiredNode): Promise<void> => {
  expect(toHex(one.chain.head().hash)).toBe(toHex(other.chain.head().hash))
  for (const number of [0n, 3n, 10n, BLOCKS])
    expect(one.chain.store.stateAt(number).account(BOB.address)).toEqual(
      other.chain.store.stateAt(number).account(BOB.address),
    )
  expect(await one.chain.store.recordBytes(5n)).toEqual(await other.chain.store.recordBytes(5n))
}

describe('given a new node that takes blocks with their state', () => {
  test('when a peer offers them, then it has the chain and its state at every height, and executed the last blocks only', async () => {
    const full = await node(A)
    await fillChain(full)
    const fresh = await snapNode(B)
    wire.connect(full.network, fresh.network)
    await reaches(fresh.chain, BLOCKS)
    await expectSame(fresh, full)
    await until(() => logLines.some(line => line.includes(`${RECORDS} blocks came with their state`)))
    expect(full.network.askedRecords.length).toBeGreaterThan(0)
    expect(full.network.asked.every(({ from }) => from > RECORDS)).toBe(true)
    expect(fresh.network.reports).toEqual([])
  })

  test('when no peer offers them, then it executes every block, and the log says so', async () => {
    const full = await node(A)
    await fillChain(full)
    const { status } = full.network.handlers
    const older = { status: () => ({ ...status(), features: [] }) }
    const plain = await node(C, { chain: full.chain, handlers: older })
    const fresh = await snapNode(B)
    wire.connect(plain.network, fresh.network)
    await reaches(fresh.chain, BLOCKS)
    expect(plain.network.askedRecords).toEqual([])
    expect(logLines.some(line => line.includes('(full sync): no connected peer offers a snapshot'))).toBe(
      true,
    )
  })

  type Lie = (commit: BlockCommit) => BlockCommit
  const withAccounts =
    (lie: (change: AccountChange) => readonly AccountChange[]): Lie =>
    commit => ({ ...commit, changes: { ...commit.changes, accounts: commit.changes.accounts.flatMap(lie) } })
  const liarOf = async (full: WiredNode, lie: Lie): Promise<WiredNode> => {
    const records = createServeRecords(full.chain, createYield, Date.now)
    const lying = {
      async *records(from: bigint, count: number) {
        for await (const bytes of records(from, count)) {
          const commit = commitOfSegment(bytes)
          yield commit.block.header.number === BigInt(LIE)
            ? concatBytes(...runSteps(encodeSegmentSteps(lie({ ...commit, nodes: [] }))))
            : bytes
        }
      },
    }
    return await node(C, { chain: full.chain, handlers: lying })
  }
  const lies: Readonly<Record<string, Lie>> = {
    'a balance': commit => ({
      ...commit,
      changes: {
        ...commit.changes,
        accounts: commit.changes.accounts.map(change =>
          change.after === undefined
            ? change
            : { ...change, after: { ...change.after, balance: change.after.balance + 1n } },
        ),
      },
    }),
    'a balance before the block': commit => ({
      ...commit,
      changes: {
        ...commit.changes,
        accounts: commit.changes.accounts.map(change =>
          change.before === undefined
            ? change
            : { ...change, before: { ...change.before, balance: change.before.balance + 1n } },
        ),
      },
    }),
    'a receipt': commit => ({
      ...commit,
      receipts: commit.receipts.map(receipt => ({ ...receipt, cumulativeGasUsed: 1n })),
    }),
    'a missing receipt': commit => ({ ...commit, receipts: [] }),
    'more changes than its gas pays for': commit => ({
      ...commit,
      changes: {
        ...commit.changes,
        accounts: Array.from({ length: 2_000 }, (_, index) => {
          const address = new Uint8Array(20)
          new DataView(address.buffer).setUint32(0, index)
          return { address, before: undefined, after: undefined, slots: [] }
        }),
      },
    }),
    'an account that it sends twice': withAccounts(change => [
      ...(change.after === undefined
        ? []
        : [{ ...change, after: { ...change.after, balance: change.after.balance + 1n } }]),
      change,
    ]),
    'a slot that it sends twice': withAccounts(change => [
      {
        ...change,
        slots: change.slots.flatMap(slot => [{ ...slot, after: new Uint8Array(32).fill(9) }, slot]),
      },
    ]),
    'the block in which the storage of an account was empty': withAccounts(change => [
      change.after === undefined
        ? change
        : { ...change, after: { ...change.after, incarnation: BigInt(LIE) } },
    ]),
    'a code that it leaves out': commit => ({ ...commit, changes: { ...commit.changes, codes: [] } }),
    'a code that nobody deployed': commit => {
      const code = new Uint8Array(100)
      const codes = [...commit.changes.codes, { codeHash: keccak256(code), code }]
      return { ...commit, changes: { ...commit.changes, codes } }
    },
    'the header': commit => ({
      ...commit,
      block: { ...commit.block, header: { ...commit.block.header, gasUsed: 1n } },
    }),
  }

  test.each(Object.entries(lies))(
    'when a peer lies about %s, then it is reported, and another one is asked',
    async (_, lie) => {
      const full = await node(A)
      await fillChain(full)
      const liar = await liarOf(full, lie)
      const fresh = await snapNode(B)
      wire.connect(liar.network, fresh.network)
      await until(() => fresh.network.reports.length > 0)
      expect(fresh.network.reports[0]).toMatchObject({ address: toHex(C.address), what: 'invalid-block' })
      expect(fresh.chain.head().header.number).toBe(6n)
      wire.connect(full.network, fresh.network)
      await reaches(fresh.chain, BLOCKS)
      await expectSame(fresh, full)
    },
  )

  test('when a peer lies about what no root of the header covers in a receipt, then the node has its own figures', async () => {
    const full = await node(A)
    await fillChain(full)
    const liar = await liarOf(full, commit => ({
      ...commit,
      receipts: commit.receipts.map(receipt => ({
        ...receipt,
        gasUsed: 1n,
        effectiveGasPrice: 2n,
        contractAddress: BOB.address,
        blobGasUsed: 3n,
        blobGasPrice: 4n,
        revertReason: new Uint8Array(5),
      })),
    }))
    const fresh = await snapNode(B)
    wire.connect(liar.network, fresh.network)
    await reaches(fresh.chain, BLOCKS)
    expect(liar.network.askedRecords.length).toBeGreaterThan(0)
    expect(await fresh.chain.store.recordBytes(BigInt(LIE))).toEqual(
      await full.chain.store.recordBytes(BigInt(LIE)),
    )
  })

  test('when a peer sends bytes that are no record, then it is reported, and another one is asked', async () => {
    const full = await node(A)
    await fillChain(full)
    const handlers = {
      async *records() {
        yield new Uint8Array(1000).fill(7)
      },
    }
    const liar = await node(C, { chain: full.chain, handlers })
    const fresh = await snapNode(B)
    wire.connect(liar.network, fresh.network)
    await until(() => fresh.network.reports.length > 0)
    expect(fresh.network.reports[0]).toMatchObject({ address: toHex(C.address), what: 'bad-response' })
    wire.connect(full.network, fresh.network)
    await reaches(fresh.chain, BLOCKS)
  })
})
