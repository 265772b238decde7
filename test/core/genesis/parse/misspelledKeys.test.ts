import { describe, expect, test } from 'bun:test'
import { parseGenesis } from '../../../../core/genesis/parse/parse.ts'
import { DOCUMENTATION, type GenesisFile } from '../genesisFiles.ts'

const warningsOf = (file: GenesisFile): readonly string[] => parseGenesis(file).warnings

const withConfig = (config: Readonly<Record<string, unknown>>): GenesisFile => ({
  ...DOCUMENTATION,
  config: { ...DOCUMENTATION.config, ...config },
})

const { qbft } = DOCUMENTATION.config as { readonly qbft: object }

describe('given a genesis file with an unknown key', () => {
  test.each<readonly [what: string, file: GenesisFile, path: string, near: string]>([
    ['a fork', withConfig({ berlinBlok: 0 }), 'config.berlinBlok', 'berlinBlock'],
    ['a time fork', withConfig({ shanghaTime: 0 }), 'config.shanghaTime', 'shanghaiTime'],
    ['a setting', withConfig({ zeroBasefees: true }), 'config.zeroBasefees', 'zeroBaseFee'],
    [
      'a QBFT setting',
      withConfig({ qbft: { ...qbft, blockperiodsecond: 2 } }),
      'config.qbft.blockperiodsecond',
      'blockPeriodSeconds',
    ],
    [
      'a setting of a transition',
      withConfig({ transitions: { qbft: [{ block: 10, blockperiodsecond: 2 }] } }),
      'config.transitions.qbft[0].blockperiodsecond',
      'blockPeriodSeconds',
    ],
    ['a field of the header', { ...DOCUMENTATION, timestanp: '0x1' }, 'timestanp', 'timestamp'],
  ])('when it resembles %s, then a warning names the known key', (_, file, path, near) => {
    expect(warningsOf(file)).toEqual([`${path}: has no effect, the key is unknown. Did you mean ${near}?`])
  })

  test.each([
    ['of go-ethereum', withConfig({ eip155Block: 0, eip150Hash: `0x${'00'.repeat(32)}` })],
    ['of GoQuorum', withConfig({ isQuorum: true, txnSizeLimit: 64, qbft: { ...qbft, ceil2Nby3Block: 0 } })],
    ['of nobody', withConfig({ comment: 'ours', discovery: {} })],
    [
      'of an account',
      {
        ...DOCUMENTATION,
        alloc: { '64d9be4177f418bcf4e56adad85f33e3a64efe22': { balanc: '1', comment: '' } },
      },
    ],
  ])('when it is a key %s, then it is accepted silently', (_, file) => {
    expect(warningsOf(file)).toEqual([])
  })
})
