import { expect } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clientsOf } from '../../runtime/transactions.ts'
import { type Cluster, createCluster } from '../support/cluster.ts'
import { type HeaderView, headersOf } from '../support/headers.ts'
import { countVotes } from '../support/ownTally.ts'
import { until, untilBlocks } from '../support/waiting.ts'
import { scenario } from '../../support/scenario.ts'

/**
 * Eight votes are cast for two: they do not fit into an epoch, so some are cleared and cast again. Six nodes share two cores well; the
 * quorum grows from three to four. Seven validators, two of which may be faulty, run in the simulation.
 */
const EPOCH_LENGTH = 7

scenario(
  'given four validators, two more nodes and a client that sends without a pause',
  ({ beforeAll, afterAll, test }) => {
    const folder = mkdtempSync(join(tmpdir(), 'quorate-growth-'))
    const sent: { readonly node: number; readonly hash: `0x${string}` }[] = []
    let cluster: Cluster
    const done = new AbortController()
    let client: Promise<void>

    const send = async (): Promise<void> => {
      for (let nonce = 0; !done.signal.aborted; nonce++) {
        const node = (nonce % 6) + 1
        const { wallet } = clientsOf(cluster.node(node).url, 4242)
        const hash = await wallet.sendTransaction({
          to: '0x00000000000000000000000000000000000000ff',
          value: 1n,
          nonce,
          gas: 21_000n,
          maxFeePerGas: 10n ** 11n,
          maxPriorityFeePerGas: 10n ** 9n,
        })
        sent.push({ node, hash })
        await Bun.sleep(50)
      }
    }

    const vote = (
      isAdd: boolean,
      voters: readonly number[],
      recipients: readonly number[],
    ): Promise<unknown> =>
      Promise.all(
        voters.flatMap(voter =>
          recipients.map(recipient =>
            cluster.node(voter).rpc('qbft_proposeValidatorVote', cluster.address(recipient), isAdd),
          ),
        ),
      )

    const validators = (): Promise<readonly string[]> =>
      cluster.node(1).rpc('qbft_getValidatorsByBlockNumber', 'pending')

    /** Waits until each of these has made a block from now on. */
    const untilMade = async (makers: readonly number[]): Promise<void> => {
      const missing = new Set(makers.map(cluster.address))
      let next = await cluster.head(1)
      await until(`a block of each of ${makers.join(', ')}`, async () => {
        for (const head = await cluster.head(1); next <= head; next++)
          missing.delete((await cluster.block(1, next))?.miner ?? '')
        return missing.size === 0
      })
    }

    /** Looks at all blocks whenever there is a new one. */
    const untilSeen = <T>(
      what: string,
      check: (headers: readonly HeaderView[]) => T | undefined | false,
    ): Promise<T> => {
      let seen = -1
      return until(what, async () => {
        const head = await cluster.head(1)
        if (head === seen) return undefined
        seen = head
        return check(await headersOf(cluster.node(1), head))
      })
    }

    beforeAll(async () => {
      cluster = await createCluster({
        folder,
        validators: 4,
        nodes: 6,
        qbft: { epochlength: EPOCH_LENGTH, xblockperiodmilliseconds: 100 },
      })
      await cluster.start(1, 2, 3, 4, 5, 6)
      await untilBlocks(cluster, 1)
      client = send()
    })

    afterAll(async () => {
      done.abort()
      await client
      await cluster.end()
      rmSync(folder, { recursive: true, force: true })
    })

    test('when two want the fifth, then an epoch clears their votes, and both cast them again', async () => {
      await vote(true, [1, 2], [5])
      const cleared = await untilSeen('an epoch that clears both', headers => {
        const found = [...countVotes(headers, EPOCH_LENGTH).cleared].find(([, votes]) => votes === 2)
        return found?.[0]
      })
      await untilSeen('both votes again', headers => {
        const voters = headers.slice(cleared + 1).flatMap(header => (header.vote ? [header.miner] : []))
        return [1, 2].every(index => voters.includes(cluster.address(index)))
      })
      expect(await validators()).toHaveLength(4)
    })

    test('when all four want two more, then there are six, and each of them makes blocks', async () => {
      await vote(true, [1, 2, 3, 4], [5, 6])
      await until('six validators', async () => (await validators()).length === 6)
      await untilMade([1, 2, 3, 4, 5, 6])
      for (const index of cluster.running())
        expect([index, await cluster.node(index).rpc('eth_mining')]).toEqual([index, true])
    })

    test('when four of them want the two out again, then there are four, and the two make no more', async () => {
      // One after the other: what the four cast in an epoch this short is not enough for several at once.
      for (const recipient of [6, 5]) {
        await vote(false, [1, 2, 3, 4], [recipient])
        await until(`${recipient - 1} validators`, async () => (await validators()).length === recipient - 1)
      }
      const last = await untilBlocks(cluster, 5)
      const headers = await headersOf(cluster.node(6), last)
      const four = [1, 2, 3, 4].map(cluster.address)
      expect(headers.slice(-5).filter(({ miner }) => !four.includes(miner))).toEqual([])
      for (const index of cluster.running())
        expect([index, await cluster.node(index).rpc('eth_mining')]).toEqual([index, index <= 4])
    })

    test('then every transaction was mined', async () => {
      done.abort()
      await client
      expect(sent.length).toBeGreaterThan(0)
      for (const { node, hash } of sent)
        await until(`the receipt of ${hash}`, async () => {
          const receipt = await cluster.node(node).rpc<object | null>('eth_getTransactionReceipt', hash)
          return receipt !== null
        })
    })

    test('then each block lists whom the votes before it leave, by a count of their own, and is the same everywhere', async () => {
      const last = await untilBlocks(cluster, 1)
      const chains = new Set<string>()
      for (const index of cluster.running()) {
        const headers = await headersOf(cluster.node(index), last)
        const { sets } = countVotes(headers, EPOCH_LENGTH)
        for (const { number, validators: listed, miner } of headers.slice(1)) {
          expect([number, listed]).toEqual([number, sets[number] as string[]])
          expect(listed).toContain(miner)
        }
        chains.add(headers.map(({ hash }) => hash).join())
      }
      expect(chains.size).toBe(1)
    })
  },
)
