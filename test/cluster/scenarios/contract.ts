import { expect } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fromHex, toHex } from '../../../core/bytes/hex.ts'
import { DEVELOPMENT_ACCOUNTS, type DevelopmentAccount } from '../../../core/genesis/development/accounts.ts'
import { testAddress } from '../../runtime/genesis.ts'
import { clientsOf } from '../../runtime/transactions.ts'
import { compile } from '../../support/programs/solc.ts'
import { type Cluster, createCluster } from '../support/cluster.ts'
import { type HeaderView, headersOf } from '../support/headers.ts'
import { foundedNow } from '../support/foundedNow.ts'
import { allowListContract } from '../support/validatorContract.ts'
import { hashesOf, until, untilBlocks, untilHeads } from '../support/waiting.ts'
import { scenario } from '../../support/scenario.ts'

const CONTRACT = '0x0000000000000000000000000000000000007777'

/** From this block on votes decide again. Up to it no block is empty, so that the test decides when they come. */
const BACK = 12

type Hex = `0x${string}`

const validator = (index: number): Hex => toHex(testAddress(index)) as Hex
const sorted = (...indexes: readonly number[]): readonly string[] => indexes.map(validator).toSorted()
/** The account that activates node `index`. */
const accountOf = (index: number): DevelopmentAccount => DEVELOPMENT_ACCOUNTS[index - 1] as DevelopmentAccount

scenario(
  'given a network whose validators a contract names from its genesis file on',
  ({ beforeAll, afterAll, test }) => {
    const folder = mkdtempSync(join(tmpdir(), 'quorate-contract-'))
    let cluster: Cluster

    /** The account of node `index` calls the contract through that node; gives the number of the block, one by itself. */
    const call = async (
      index: number,
      functionName: string,
      args: readonly unknown[] = [],
      status: 'success' | 'reverted' = 'success',
    ): Promise<number> => {
      const { wallet, reader } = clientsOf(cluster.node(index).url, 4242, index - 1)
      const { abi } = compile('AllowList')
      const hash = await wallet.writeContract({
        address: CONTRACT,
        abi,
        functionName,
        args,
        gas: 300_000n,
      })
      const receipt = await reader.waitForTransactionReceipt({ hash })
      expect([functionName, receipt.status]).toEqual([functionName, status])
      const number = Number(receipt.blockNumber)
      await untilHeads(cluster, number)
      return number
    }

    const namedBy = (index: number, number: number | 'pending'): Promise<readonly string[]> =>
      cluster
        .node(index)
        .rpc('qbft_getValidatorsByBlockNumber', number === 'pending' ? number : `0x${number.toString(16)}`)

    /** What governs block `number + 1`, told of block `number` and by the head. */
    const expectSetAfter = async (number: number, ...validators: readonly number[]): Promise<void> => {
      for (const index of cluster.running()) {
        expect([index, await namedBy(index, number)]).toEqual([index, sorted(...validators)])
        expect([index, await namedBy(index, 'pending')]).toEqual([index, sorted(...validators)])
        expect([index, await cluster.node(index).rpc('eth_mining')]).toEqual([
          index,
          validators.includes(index),
        ])
      }
    }

    const votesAnswer = async (index: number): Promise<readonly string[]> =>
      await Promise.all(
        [
          ['qbft_getPendingVotes'],
          ['qbft_proposeValidatorVote', validator(4), true],
          ['qbft_discardValidatorVote', validator(4)],
        ].map(([method, ...params]) =>
          cluster
            .node(index)
            .rpc(method as string, ...params)
            .then(() => 'enabled', String),
        ),
      )

    beforeAll(async () => {
      cluster = await createCluster({
        folder,
        validators: 0,
        nodes: 5,
        // A round that fails because the machine is busy may bring an empty block, and the tests count blocks.
        qbft: {
          validatorcontractaddress: CONTRACT,
          xemptyblockperiodseconds: 3600,
          requesttimeoutseconds: 5,
        },
        config: {
          transitions: {
            qbft: [
              {
                block: BACK,
                validatorselectionmode: 'blockheader',
                validators: [1, 2, 3, 5].map(validator),
              },
              { block: BACK + 1, xemptyblockperiodseconds: 0 },
            ],
          },
        },
        top: {
          ...foundedNow(),
          alloc: {
            ...Object.fromEntries(
              DEVELOPMENT_ACCOUNTS.map(({ address }) => [toHex(address), { balance: '0xad78ebc5ac6200000' }]),
            ),
            [CONTRACT]: allowListContract(
              [2, 4, 1, 3].map(index => ({
                account: accountOf(index).address,
                validator: testAddress(index),
              })),
            ),
          },
        },
      })
      await cluster.start(1, 2, 3, 4, 5)
    })

    afterAll(async () => {
      await cluster.end()
      rmSync(folder, { recursive: true, force: true })
    })

    test('then those in its storage make blocks, and an account that is not allowed changes nothing', async () => {
      await expectSetAfter(0, 1, 2, 3, 4)
      expect(await call(5, 'activate', [validator(5)], 'reverted')).toBe(1)
      await expectSetAfter(1, 1, 2, 3, 4)
    })

    test('when one is deactivated, then it is no validator from the next block on', async () => {
      expect(await call(3, 'deactivate')).toBe(2)
      await expectSetAfter(2, 1, 2, 4)
      expect(await namedBy(5, 1)).toEqual(sorted(1, 2, 3, 4))
    })

    test('when another account is voted in and activates its node, then that one is a validator from the next block on', async () => {
      for (const [position, index] of [1, 2, 3].entries()) {
        const number = await call(index, 'voteToAdd', [toHex(accountOf(5).address)])
        expect(number).toBe(3 + position)
        await expectSetAfter(number, 1, 2, 4)
      }
      expect(await call(5, 'activate', [validator(5)])).toBe(6)
      await expectSetAfter(6, 1, 2, 4, 5)
    })

    test('when an account puts another node in the place of its own, then the set changes with the next block', async () => {
      expect(await call(4, 'activate', [validator(3)])).toBe(7)
      await expectSetAfter(7, 1, 2, 3, 5)
      expect(await call(4, 'deactivate')).toBe(8)
      expect(await call(3, 'activate', [validator(4)])).toBe(9)
      await expectSetAfter(9, 1, 2, 4, 5)
    })

    test('when votes are asked for, then they are not enabled, up to the last block of the contract', async () => {
      const refused = (method: string): string => `Error: ${method}: -32604 Method not enabled`
      for (const number of [10, 11]) {
        expect(await call(1, 'voteToRemove', [toHex(accountOf(number - 6).address)])).toBe(number)
        for (const index of cluster.running())
          expect(await votesAnswer(index)).toEqual(
            ['qbft_getPendingVotes', 'qbft_proposeValidatorVote', 'qbft_discardValidatorVote'].map(refused),
          )
      }
    })

    test('when the transition back has come, then its list governs, votes are enabled and count', async () => {
      expect(await call(1, 'deactivate')).toBe(BACK)
      for (const index of cluster.running())
        expect(await votesAnswer(index)).toEqual(['enabled', 'enabled', 'enabled'])
      for (const index of [1, 2, 5])
        await cluster.node(index).rpc('qbft_proposeValidatorVote', validator(4), true)
      await until('five validators', async () => (await namedBy(1, 'pending')).length === 5)
      expect(await namedBy(1, 'pending')).toEqual(sorted(1, 2, 3, 4, 5))
      await until(
        'a block of the fourth',
        async () => (await cluster.block(1, 'latest'))?.miner === validator(4),
      )
    })

    test('then on every node each block was made by one of its set, and listed who governed it by votes only', async () => {
      const last = await untilBlocks(cluster, 1)
      for (const index of cluster.running()) {
        const headers = await headersOf(cluster.node(index), last)
        const sets = await Promise.all(headers.map(({ number }) => namedBy(index, number)))
        for (const { number, miner, validators, vote } of headers.slice(1)) {
          const isByVotes = number >= BACK
          expect(isByVotes ? validators : sets[number - 1]).toContain(miner)
          expect([number, validators]).toEqual([number, isByVotes ? (sets[number] as string[]) : []])
          if (!isByVotes) expect([number, vote]).toEqual([number, undefined])
        }
        expect((headers[BACK] as HeaderView).validators).toEqual(sorted(1, 2, 3, 5))
      }
      for (let number = 0; number <= last; number++) expect(await hashesOf(cluster, number)).toHaveLength(1)
    })

    test('then a call of the contract at each block says what the methods said', async () => {
      const { reader } = clientsOf(cluster.node(2).url, 4242)
      const { abi } = compile('AllowList')
      for (let number = 0; number < BACK; number++) {
        const given = (await reader.readContract({
          address: CONTRACT,
          abi,
          functionName: 'getValidators',
          blockNumber: BigInt(number),
        })) as readonly string[]
        expect([number, given.map(address => toHex(fromHex(address))).toSorted()]).toEqual([
          number,
          [...(await namedBy(2, number))],
        ])
      }
    })
  },
)
