import { describe, expect, test } from 'bun:test'
import { developmentGenesis } from '../../../../core/genesis/development/development.ts'
import { parseGenesis } from '../../../../core/genesis/parse/parse.ts'
import { genesisConfig } from '../../../../handlers/rpc/config/genesisConfig.ts'
import { DEVELOPMENT_CONFIG, VALIDATOR } from '../../support/testNode.ts'

const CONTRACT = `0x${'cc'.repeat(20)}`

const configOf = (change: (config: Record<string, unknown>) => void): Record<string, unknown> => {
  const genesis = developmentGenesis({ validator: VALIDATOR }) as Record<string, unknown>
  const config = genesis['config'] as Record<string, unknown>
  change(config)
  return genesisConfig(parseGenesis(genesis).configuration)
}

describe("given the genesis file's config in admin_nodeInfo", () => {
  test('when a value is the default, then it is left out', () => {
    expect(configOf(() => undefined)).toEqual(DEVELOPMENT_CONFIG)
  })

  test('when a value is set, then it has its standard name', () => {
    const config = configOf(one => {
      one['zeroBaseFee'] = true
      one['contractSizeLimit'] = 100_000
      one['evmStackSize'] = 2048
      one['qbft'] = {
        ...(one['qbft'] as object),
        blockreward: '5',
        miningbeneficiary: CONTRACT,
        validatorselectionmode: 'contract',
        validatorcontractaddress: CONTRACT,
      }
    })
    expect(config).toMatchObject({ zeroBaseFee: true, contractSizeLimit: 100_000, evmStackSize: 2048 })
    expect(config['qbft']).toMatchObject({
      blockReward: '5',
      miningBeneficiary: CONTRACT,
      validatorContractAddress: CONTRACT,
    })
    expect(config).not.toHaveProperty('fixedBaseFee')
  })
})
