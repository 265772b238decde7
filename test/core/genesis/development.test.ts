import { describe, expect, test } from 'bun:test'
import { mnemonicToAccount } from 'viem/accounts'
import { toHex } from '../../../core/bytes/hex.ts'
import { decodeExtraData } from '../../../core/chain/codec/extraData.ts'
import { addressOfPrivateKey } from '../../../core/crypto/crypto.ts'
import { developmentGenesis } from '../../../core/genesis/development.ts'
import { DEVELOPMENT_ACCOUNTS, DEVELOPMENT_MNEMONIC } from '../../../core/genesis/developmentAccounts.ts'
import { parseGenesis, parseGenesisText } from '../../../core/genesis/parse.ts'
import { qbftAt, type QbftConsensus, rulesAt } from '../../../core/genesis/schedule.ts'

const validator = new Uint8Array(20).fill(0x42)

describe('development accounts', () => {
  test('are the first ten of the mnemonic', () => {
    expect(DEVELOPMENT_ACCOUNTS).toHaveLength(10)
    DEVELOPMENT_ACCOUNTS.forEach(({ address, privateKey }, addressIndex) => {
      const account = mnemonicToAccount(DEVELOPMENT_MNEMONIC, { addressIndex })
      expect(toHex(address)).toBe(account.address.toLowerCase())
      expect(toHex(privateKey)).toBe(toHex(account.getHdKey().privateKey as Uint8Array))
      expect(addressOfPrivateKey(privateKey)).toEqual(address)
    })
  })
})

describe('the development chain', () => {
  const genesis = parseGenesis(developmentGenesis({ validator }))
  const consensus = genesis.configuration.consensus as QbftConsensus

  test('has every fork to Osaka from the start, and one validator', () => {
    expect(rulesAt(genesis.configuration, 0n, 0n).fork).toBe('osaka')
    expect(genesis.configuration.chainId).toBe(1337n)
    expect(decodeExtraData(genesis.header.extraData).validators).toEqual([validator])
    expect(genesis.warnings).toEqual([])
  })

  test('makes a block at once and none without a transaction', () => {
    const parameters = qbftAt(consensus, 1n)
    expect(parameters.blockPeriodMs).toBeGreaterThan(0)
    expect(parameters.blockPeriodMs).toBeLessThan(1000)
    expect(parameters.emptyBlockPeriodSeconds).toBe(2_147_483_647)
  })

  test('funds the ten accounts', () => {
    expect(genesis.alloc.map(account => account.address)).toEqual(
      DEVELOPMENT_ACCOUNTS.map(({ address }) => address),
    )
    for (const { balance } of genesis.alloc) expect(balance).toBe(10_000n * 10n ** 18n)
  })

  test('can be written to a file and read again', () => {
    const options = { validator, chainId: 31_337, blockPeriodMs: 250 }
    const file = JSON.stringify(developmentGenesis(options), null, 2)
    expect(parseGenesisText(file)).toEqual(parseGenesis(developmentGenesis(options)))
    expect(parseGenesisText(file).configuration.chainId).toBe(31_337n)
  })
})
