import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { signTransaction } from '../../../core/block/codec/signature.ts'
import { decodeExtraData } from '../../../core/block/codec/extraData.ts'
import { DEVELOPMENT_ACCOUNTS, type DevelopmentAccount } from '../../../core/genesis/development/accounts.ts'
import { segmentKey } from '../../../core/store/keys.ts'
import type { KeyValueStore } from '../../../core/store/keyvalue/keyvalue.ts'
import { openStorage } from '../../../runtime/drivers/open.ts'
import { genesisText, testAddress } from '../genesis.ts'
import { heads, runConsensus } from './running.ts'
import { until } from '../../support/until.ts'
import { turns } from '../../support/turns.ts'
import { BARE_FIELDS } from '../../support/chains/bareFields.ts'

const PERIOD_MS = 10

setDefaultTimeout(120_000)

const transfer = (nonce: bigint) => {
  const { address, privateKey } = DEVELOPMENT_ACCOUNTS[0] as DevelopmentAccount
  const transaction = signTransaction(
    {
      type: 2,
      chainId: 4242n,
      nonce,
      maxPriorityFeePerGas: 1n,
      maxFeePerGas: 10n ** 10n,
      gasLimit: 21_000n,
      to: testAddress(9),
      value: 1n,
      data: new Uint8Array(0),
      ...BARE_FIELDS,
    },
    privateKey,
  )
  return { transaction, sender: address }
}

const INSTANT = { xblockperiodmilliseconds: 10, xemptyblockperiodseconds: 2_000_000_000 }

describe('given a chain whose only validator is this node', () => {
  test('when empty blocks wait, then a transaction makes one, sealed by the validator, and the pool is empty again', async () => {
    const { chain, pool, poolHead, lines, running } = await runConsensus(genesisText({ qbft: INSTANT }))
    const made = heads(chain, 1)
    pool.add(transfer(0n), poolHead())
    await made
    await running.stop()
    const { header } = chain.head()
    const record = await chain.store.record(1n)
    expect(record?.block.transactions).toHaveLength(1)
    expect(decodeExtraData(header.extraData)).toMatchObject({ round: 0, validators: [testAddress(1)] })
    expect(decodeExtraData(header.extraData).seals).toHaveLength(1)
    expect(pool.size).toBe(0)
    expect(lines.at(-1)).toMatch(
      /INFO {2}\| validator \| Produced #1 \/ 1 tx \/ 0 pending \/ 21,000 \(0\.0%\) gas \/ \(0x/,
    )
  })

  test('when a transaction waits behind a gap, then nothing is made until the gap is closed', async () => {
    const { chain, pool, poolHead, running } = await runConsensus(genesisText({ qbft: INSTANT }))
    pool.add(transfer(1n), poolHead())
    await turns(50)
    expect(chain.head().header.number).toBe(0n)
    const made = heads(chain, 1)
    pool.add(transfer(0n), poolHead())
    await made
    // In one block or two: a slow machine may have no time for the second.
    await until(() => pool.size === 0)
    await running.stop()
    expect((await chain.store.record(1n))?.block.transactions[0]?.hash).toEqual(transfer(0n).transaction.hash)
  })

  test('when the time for choosing transactions is over before one was looked at, then the block has it all the same', async () => {
    const { chain, pool, poolHead, running } = await runConsensus(genesisText({ qbft: INSTANT }), {
      change: poolHead => () => {
        Bun.sleepSync(20)
        return poolHead()
      },
    })
    const made = heads(chain, 1)
    pool.add(transfer(0n), poolHead())
    await made
    await running.stop()
    expect((await chain.store.record(1n))?.block.transactions).toHaveLength(1)
  })

  test('when empty blocks are wanted, then they come one after the other, and stop when the consensus stops', async () => {
    const { chain, running } = await runConsensus(
      genesisText({ qbft: { xblockperiodmilliseconds: PERIOD_MS } }),
    )
    await heads(chain, 3)
    await running.stop()
    const { number } = chain.head().header
    await Bun.sleep(5 * PERIOD_MS)
    expect(chain.head().header.number).toBe(number)
  })

  test('when making a block fails, then the log says so and the next round makes it', async () => {
    let failures = 1
    const { chain, lines, running } = await runConsensus(
      genesisText({ qbft: { xblockperiodmilliseconds: PERIOD_MS } }),
      {
        change: poolHead => () => {
          if (failures-- > 0) throw new Error('the disk is full')
          return poolHead()
        },
      },
    )
    await heads(chain, 1)
    await running.stop()
    expect(lines.filter(line => line.includes('ERROR'))[0]).toContain(
      'Building block 1 failed: the disk is full. It is retried in the next round.',
    )
  })

  test('when a block is not on the disk yet, then it is not the head: nothing that was signed brings it back', async () => {
    const disk = await openStorage('memory', '')
    const { promise: powerCut, reject: cutPower } = Promise.withResolvers<void>()
    let isHeld = false
    const held: KeyValueStore = {
      ...disk,
      setAllDurably: undefined,
      setDurably: async entry => {
        if (entry.key === segmentKey(2)) {
          isHeld = true
          await powerCut
        }
        await disk.setDurably(entry)
      },
    }
    const genesis = genesisText({ qbft: { xblockperiodmilliseconds: PERIOD_MS } })
    const { chain, running } = await runConsensus(genesis, { storage: held })
    await heads(chain, 1)
    await until(() => isHeld)
    await turns(50)
    expect(chain.head().header.number).toBe(1n)
    cutPower(new Error('the power is gone'))
    await running.stop()
  })
})
