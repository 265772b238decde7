import { describe, expect, test } from 'bun:test'
import { mnemonicToAccount } from 'viem/accounts'
import { toHex } from '../../../core/bytes/hex.ts'
import { decodeExtraData } from '../../../core/block/codec/extraData.ts'
import { addressOfPrivateKey, keccak256 } from '../../../core/crypto/crypto.ts'
import { developmentGenesis } from '../../../core/genesis/development/development.ts'
import { DEVELOPMENT_ACCOUNTS, DEVELOPMENT_MNEMONIC } from '../../../core/genesis/development/accounts.ts'
import { parseGenesis, parseGenesisText } from '../../../core/genesis/parse/parse.ts'
import { rulesAt } from '../../../core/genesis/forkSchedule.ts'
import { qbftAt, type QbftConsensus } from '../../../core/genesis/qbftSchedule.ts'

const validator = new Uint8Array(20).fill(0x42)

describe('given the development accounts', () => {
  test('when they are derived, then they are the first ten of the mnemonic', () => {
    expect(DEVELOPMENT_ACCOUNTS).toHaveLength(10)
    DEVELOPMENT_ACCOUNTS.forEach(({ address, privateKey }, addressIndex) => {
      const account = mnemonicToAccount(DEVELOPMENT_MNEMONIC, { addressIndex })
      expect(toHex(address)).toBe(account.address.toLowerCase())
      expect(toHex(privateKey)).toBe(toHex(account.getHdKey().privateKey as Uint8Array))
      expect(addressOfPrivateKey(privateKey)).toEqual(address)
    })
  })
})

describe('given the development chain', () => {
  const genesis = parseGenesis(developmentGenesis({ validator }))
  const consensus = genesis.configuration.consensus as QbftConsensus

  test('when its configuration is read, then it has every fork to Osaka and one validator', () => {
    expect(rulesAt(genesis.configuration, 0n, 0n).fork).toBe('osaka')
    expect(genesis.configuration.chainId).toBe(1337n)
    expect(decodeExtraData(genesis.header.extraData).validators).toEqual([validator])
    expect(genesis.warnings).toEqual([])
  })

  test('when there is a transaction, then it makes a block at once, and none without', () => {
    const parameters = qbftAt(consensus, 1n, 0n)
    expect(parameters.blockPeriodMs).toBeGreaterThan(0)
    expect(parameters.blockPeriodMs).toBeLessThan(1000)
    expect(parameters.emptyBlockPeriodSeconds).toBe(2_147_483_647)
  })

  test('when its state is read, then the ten accounts have funds', () => {
    const funded = genesis.alloc.filter(({ balance }) => balance > 0n)
    expect(funded.map(({ address }) => address)).toEqual(DEVELOPMENT_ACCOUNTS.map(({ address }) => address))
    for (const { balance } of funded) expect(balance).toBe(10_000n * 10n ** 18n)
  })

  test('when its state is read, then it has the CREATE2 deployer and Multicall3 of mainnet', () => {
    const contracts = genesis.alloc.filter(({ code }) => code.length > 0)
    expect(
      contracts.map(({ address, nonce, code }) => [toHex(address), nonce, toHex(keccak256(code))]),
    ).toEqual([
      [
        '0x4e59b44847b379578588920ca78fbf26c0b4956c',
        1n,
        '0x2fa86add0aed31f33a762c9d88e807c475bd51d0f52bd0955754b2608f7e4989',
      ],
      [
        '0xca11bde05977b3631167028862be2a173976ca11',
        1n,
        '0xd5c15df687b16f2ff992fc8d767b4216323184a2bbc6ee2f9c398c318e770891',
      ],
    ])
  })

  test('when it is written to a file, then it can be read again', () => {
    const options = { validator, chainId: 31_337, blockPeriodMs: 250 }
    const file = JSON.stringify(developmentGenesis(options), null, 2)
    expect(parseGenesisText(file)).toEqual(parseGenesis(developmentGenesis(options)))
    expect(parseGenesisText(file).configuration.chainId).toBe(31_337n)
  })
})
