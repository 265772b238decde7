import { expect } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toHex } from '../../../core/bytes/hex.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../../core/genesis/development/accounts.ts'
import { testAddress } from '../../runtime/genesis.ts'
import { clientsOf } from '../../runtime/transactions.ts'
import { type Cluster, createCluster } from '../support/cluster.ts'
import { type HeaderView, headersOf } from '../support/headers.ts'
import { foundedNow } from '../support/foundedNow.ts'
import { validatorContract } from '../support/validatorContract.ts'
import { hashesOf, until, untilHeads } from '../support/waiting.ts'
import { scenario } from '../../support/scenario.ts'

const FUNDED = Object.fromEntries(
  DEVELOPMENT_ACCOUNTS.map(({ address }) => [toHex(address), { balance: '0xad78ebc5ac6200000' }]),
)
const FIRST = '0x0000000000000000000000000000000000008888'
const SECOND = '0x0000000000000000000000000000000000009999'
const B1 = '0x00000000000000000000000000000000000000b1'
const B2 = '0x00000000000000000000000000000000000000b2'

const addressesOf = (...indexes: readonly number[]): readonly string[] =>
  indexes.map(index => toHex(testAddress(index)))

/** No block without a transaction, as long as the genesis file's own value is in force. */
const NEVER_SECONDS = 3600

/** Each key of a transition, alone where that says more. */
const TRANSITIONS = [
  { block: 3, blockreward: '5000000000000000000' },
  { block: 5, miningbeneficiary: B1 },
  { block: 7, miningbeneficiary: B2, blockreward: '0x7' },
  { block: 9, miningbeneficiary: '' },
  { block: 10, xblockperiodmilliseconds: 0, blockperiodseconds: 3, emptyblockperiodseconds: 0 },
  { block: 11, xblockperiodmilliseconds: 150 },
  { block: 13, validators: addressesOf(3, 1, 2) },
  { block: 15, validatorselectionmode: 'contract', validatorcontractaddress: FIRST },
  { block: 17, validatorselectionmode: 'Contract', validatorcontractaddress: SECOND },
  { block: 19, validatorselectionmode: 'blockheader', validators: addressesOf(4, 2, 1) },
  { block: 21, xemptyblockperiodseconds: 3 },
  { block: 22, emptyblockperiodseconds: 0, blockreward: 0 },
]
const LAST = 24
/** Wei per gas: a tip in each block. */
const FEES = { gas: 21_000n, maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n }
/** Each block before it has a transaction. */
const FIRST_EMPTY = 10

type Expected = {
  readonly reward: bigint
  readonly beneficiary: string | undefined
  /** The least that lies between the block and its parent, in seconds; 0 for a period in milliseconds. */
  readonly spacingSeconds: number
  /** Indexes of nodes. */
  readonly validators: readonly number[]
  /** Whether extraData lists them: it lists nobody where a contract names them. */
  readonly listed: boolean
}

/** What governs each block, told apart from the file above: the entry of the largest number that is not above the block's. */
const STAGES: readonly (readonly [from: number, change: Partial<Expected>])[] = [
  [0, { reward: 0n, beneficiary: undefined, spacingSeconds: 0, validators: [1, 2, 3, 4], listed: true }],
  [3, { reward: 5n * 10n ** 18n }],
  [5, { beneficiary: B1 }],
  [7, { beneficiary: B2, reward: 7n }],
  [9, { beneficiary: undefined }],
  [10, { spacingSeconds: 3 }],
  [11, { spacingSeconds: 0 }],
  [13, { validators: [1, 2, 3] }],
  [15, { validators: [2, 3, 4], listed: false }],
  [17, { validators: [1, 2, 3, 4] }],
  [19, { validators: [1, 2, 4], listed: true }],
  [21, { spacingSeconds: 3 }],
  [22, { spacingSeconds: 0, reward: 0n }],
]

const expectedAt = (number: number): Expected =>
  Object.assign({}, ...STAGES.filter(([from]) => from <= number).map(([, change]) => change)) as Expected

const numbers = (from: number): readonly number[] =>
  Array.from({ length: LAST - from + 1 }, (_, index) => from + index)

/** Wei that each account has after block `number`, by the rewards and fees of the blocks up to it. */
const balancesAt = (
  headers: readonly HeaderView[],
  tips: ReadonlyMap<number, bigint>,
  number: number,
): Readonly<Record<string, bigint>> => {
  const balances: Record<string, bigint> = Object.fromEntries(
    [...addressesOf(1, 2, 3, 4), B1, B2].map(address => [address, 0n]),
  )
  for (const header of headers.slice(1, number + 1)) {
    const { reward, beneficiary = header.miner } = expectedAt(header.number)
    balances[beneficiary] = (balances[beneficiary] ?? 0n) + reward + (tips.get(header.number) ?? 0n)
  }
  return balances
}

scenario(
  'given four validators whose genesis file has transitions of every kind',
  ({ beforeAll, afterAll, test }) => {
    const folder = mkdtempSync(join(tmpdir(), 'quorate-transitions-'))
    /** Wei that the senders of a block paid its maker. */
    const tips = new Map<number, bigint>()
    let cluster: Cluster

    /** Resolves when every node has the block. */
    const pay = async (index: number, nonce: number): Promise<void> => {
      const { wallet, reader } = clientsOf(cluster.node(index).url, 4242)
      const hash = await wallet.sendTransaction({
        to: B1.replace('b1', 'ff') as `0x${string}`,
        value: 1n,
        nonce,
        ...FEES,
      })
      const receipt = await reader.waitForTransactionReceipt({ hash })
      const { baseFeePerGas } = await reader.getBlock({ blockNumber: receipt.blockNumber })
      const tip = (receipt.effectiveGasPrice - (baseFeePerGas ?? 0n)) * receipt.gasUsed
      const number = Number(receipt.blockNumber)
      tips.set(number, (tips.get(number) ?? 0n) + tip)
      await untilHeads(cluster, number)
    }

    beforeAll(async () => {
      cluster = await createCluster({
        folder,
        validators: 4,
        nodes: 5,
        // A round that fails because the machine is busy may bring an empty block, and the tests count blocks.
        qbft: {
          xblockperiodmilliseconds: 250,
          xemptyblockperiodseconds: NEVER_SECONDS,
          requesttimeoutseconds: 4,
        },
        config: { transitions: { qbft: TRANSITIONS } },
        top: {
          ...foundedNow(),
          alloc: {
            ...FUNDED,
            [FIRST]: validatorContract([4, 2, 3].map(testAddress)),
            [SECOND]: validatorContract([3, 4, 1, 2].map(testAddress)),
          },
        },
      })
      await cluster.start(1, 2, 3, 4)
      for (let nonce = 0; nonce < FIRST_EMPTY - 1; nonce++) await pay((nonce % 4) + 1, nonce)
      await untilHeads(cluster, LAST)
    })

    afterAll(async () => {
      await cluster.end()
      rmSync(folder, { recursive: true, force: true })
    })

    /** Everything that transitions change, as one node tells it. */
    const expectAll = async (index: number): Promise<void> => {
      const node = cluster.node(index)
      const headers = await headersOf(node, LAST)
      for (const number of numbers(1)) {
        const { miner, validators, timestamp, vote } = headers[number] as HeaderView
        const expected = expectedAt(number)
        const set = addressesOf(...expected.validators).toSorted()
        expect([number, validators, vote]).toEqual([number, expected.listed ? set : [], undefined])
        expect(set).toContain(miner)
        expect([
          number,
          await node.rpc('qbft_getValidatorsByBlockNumber', `0x${number.toString(16)}`),
        ]).toEqual([number, set])
        const spacing = timestamp - (headers[number - 1] as HeaderView).timestamp
        expect([number, spacing >= expected.spacingSeconds]).toEqual([number, true])
      }
      for (const number of numbers(0)) {
        const expected = balancesAt(headers, tips, number)
        const told = await Promise.all(
          Object.keys(expected).map(async address => [
            address,
            BigInt(await node.rpc<string>('eth_getBalance', address, `0x${number.toString(16)}`)),
          ]),
        )
        expect([number, Object.fromEntries(told)]).toEqual([number, expected])
      }
    }

    test.each([[1], [2], [3], [4]])('then node %i had each change at exactly its block', expectAll)

    test('then all have the same blocks', async () => {
      for (const number of numbers(0)) expect(await hashesOf(cluster, number)).toHaveLength(1)
    })

    test('then no block waited for a period that was not its own', async () => {
      const headers = await headersOf(cluster.node(1), LAST)
      for (const number of numbers(FIRST_EMPTY + 2)) {
        const [parent, header] = headers.slice(number - 1) as [HeaderView, HeaderView]
        // Made in round 0, it was there within a second; a later round says nothing of when it could have been made.
        if (expectedAt(number).spacingSeconds > 0 || parent.round > 0 || header.round > 0) continue
        expect([number, header.timestamp - parent.timestamp < 3]).toEqual([number, true])
      }
    })

    test('then no block was empty before the transition that allows it', async () => {
      const headers = await headersOf(cluster.node(1), LAST)
      // In a later round a validator proposes what it has, be it nothing: the transaction comes in a block after it.
      let delayed = 0
      for (const { number, round, transactions } of headers.slice(1)) {
        if (round > 0 && number < FIRST_EMPTY) {
          if (transactions.length === 0) delayed++
        } else if (number >= FIRST_EMPTY && transactions.length > 0 && delayed > 0)
          delayed -= transactions.length
        else expect([number, transactions.length > 0]).toEqual([number, number < FIRST_EMPTY])
      }
      expect([...tips.values()].every(tip => tip > 0n)).toBe(true)
    })

    test('when a node joins from nothing, then it takes all of them, and has had the same changes', async () => {
      await cluster.start(5)
      await untilHeads(cluster, LAST, [5])
      await expectAll(5)
      for (const number of numbers(0)) expect(await hashesOf(cluster, number)).toHaveLength(1)
      expect(cluster.node(5).output()).not.toContain('genesis file')
    })

    test('when a validator lost its data, then it takes all of them again, and makes blocks', async () => {
      await cluster.kill(2)
      cluster.wipe(2)
      await cluster.start(2)
      await untilHeads(cluster, LAST, [2])
      await expectAll(2)
      const own = cluster.address(2)
      await until('a block of its own', async () => (await cluster.block(1, 'latest'))?.miner === own)
    })
  },
)
