import { describe, expect, test } from 'bun:test'
import type { Block } from '../../../core/block/block.ts'
import type { Chain } from '../../../core/chain/chain.ts'
import { parseGenesis } from '../../../core/genesis/parse/parse.ts'
import { rulesAt } from '../../../core/genesis/forkSchedule.ts'
import { poolHeadOf } from '../../../core/txpool/head.ts'
import { admit, POOL_OPTIONS } from '../../../core/txpool/admission.ts'
import {
  brokenRule,
  build,
  extend,
  genesisFile,
  nextBlock,
  openTestChain,
  type TestGenesis,
  transfer,
} from './support/chain.ts'
import { USERS } from './support/keys.ts'

const [ALICE] = USERS
const EIP_7825 = 2n ** 24n

const limitAt = (genesis: TestGenesis, number: bigint): bigint | undefined =>
  rulesAt(parseGenesis(genesisFile(genesis)).configuration, number, 2_000_000_000n).transactionGasMax

describe('given the gas limit of one transaction', () => {
  test('when it is Osaka or later, then it is EIP-7825’s, and none before', () => {
    expect(limitAt({ fork: 'prague' }, 1n)).toBeUndefined()
    expect(limitAt({ fork: 'osaka' }, 1n)).toBe(EIP_7825)
  })

  test.each(['pertxgaslimit', 'perTxGasLimit', 'pertxgaslimitcap'])(
    'when qbft.%s is set, then it applies on every fork',
    key => {
      for (const fork of ['berlin', 'osaka'] as const) {
        expect(limitAt({ fork, qbft: { [key]: 8_000_000 } }, 1n)).toBe(8_000_000n)
        expect(limitAt({ fork, qbft: { [key]: '0x1312D00' } }, 1n)).toBe(20_000_000n)
        expect(limitAt({ fork, qbft: { [key]: 0 } }, 1n)).toBeUndefined()
        expect(limitAt({ fork, qbft: { [key]: '0x0' } }, 1n)).toBeUndefined()
      }
    },
  )

  test('when transitions change it, then others inherit it', () => {
    const qbft = [
      { block: 10, pertxgaslimit: 16_000_000 },
      { block: 15, blockperiodseconds: 3 },
      { block: 20, pertxgaslimitcap: 0 },
    ]
    const genesis: TestGenesis = { fork: 'osaka', config: { transitions: { qbft } } }
    expect([9n, 10n, 19n, 20n].map(number => limitAt(genesis, number))).toEqual([
      EIP_7825,
      16_000_000n,
      16_000_000n,
      undefined,
    ])
    const configured = { ...genesis, qbft: { pertxgaslimit: 5_000_000 } }
    expect(limitAt(configured, 9n)).toBe(5_000_000n)
  })
})

/** A block with a transaction of that much gas, built where it is allowed. */
const blockWith = async (gasLimit: bigint): Promise<Block> =>
  nextBlock(await openTestChain({ fork: 'osaka', qbft: { pertxgaslimit: 0 } }), [
    transfer(ALICE, 0, { gasLimit }),
  ])

describe('given a block', () => {
  const rejectedIn = async (chain: Chain, gasLimit: bigint): Promise<number> =>
    (await build(chain, [transfer(ALICE, 0, { gasLimit })])).rejected.length

  test('when it has a transaction above qbft.pertxgaslimit, then it is neither built nor accepted', async () => {
    const qbft = { pertxgaslimit: 1_000_000 }
    const chain = await openTestChain({ fork: 'osaka', qbft })
    expect(await rejectedIn(chain, 1_000_001n)).toBe(1)
    expect(await rejectedIn(chain, 1_000_000n)).toBe(0)
    expect(await brokenRule(chain, await blockWith(1_000_001n))).toBe('transaction')
    expect(await brokenRule(chain, await blockWith(1_000_000n))).toBeUndefined()
  })

  test('when qbft.pertxgaslimit allows more than EIP-7825, then it is accepted', async () => {
    const gasLimit = EIP_7825 + 1n
    const block = await blockWith(gasLimit)
    expect(block.transactions).toHaveLength(1)
    expect(await brokenRule(await openTestChain({ fork: 'osaka' }), block)).toBe('transaction')
    for (const pertxgaslimit of [0, 20_000_000])
      expect(
        await brokenRule(await openTestChain({ fork: 'osaka', qbft: { pertxgaslimit } }), block),
      ).toBeUndefined()
  })

  test('when a transition applies, then it is the one at its number', async () => {
    const chain = await openTestChain({
      config: { transitions: { qbft: [{ block: 2, pertxgaslimit: 50_000 }] } },
    })
    expect(await rejectedIn(chain, 60_000n)).toBe(0)
    await extend(chain)
    expect(await rejectedIn(chain, 60_000n)).toBe(1)
  })

  test('when it is the next one, then the pool knows its limit', async () => {
    const chain = await openTestChain({ qbft: { pertxgaslimit: 50_000 } })
    const head = poolHeadOf(chain, chain.head().header.timestamp + 2n, {
      minGasPrice: 0n,
      minPriorityFee: 0n,
    })
    const admitWith = (gasLimit: bigint) => () =>
      admit(
        transfer(ALICE, 0, { gasLimit }).transaction,
        ALICE.address,
        head,
        { local: true, addedAtMs: 0 },
        POOL_OPTIONS,
      )
    expect(admitWith(50_000n)).not.toThrow()
    expect(admitWith(50_001n)).toThrow('Transaction gas limit cap exceeded')
  })
})
