import { describe, expect, test } from 'bun:test'
import { parseGenesis } from '../../../../core/genesis/parse/parse.ts'
import { DOCUMENTATION, refusalOf, withConfig, withoutQbft } from '../genesisFiles.ts'

describe('given a file of another form', () => {
  test('when it is the input of Besu’s operator command, then the error says so', () => {
    const input = { genesis: DOCUMENTATION, blockchain: { nodes: { generate: true, count: 4 } } }
    expect(refusalOf(input)).toEqual({
      code: 'UNSUPPORTED',
      message:
        'genesis: this is the input file of Besu’s `operator generate-blockchain-config`, not a genesis file: give the genesis.json that the command writes',
    })
  })

  test('when it has GoQuorum’s list of transitions, then the error says so', () => {
    const { code, message } = refusalOf(withConfig({ transitions: [{ block: 5, epochlength: 10 }] }))
    expect([code, message]).toEqual([
      'UNSUPPORTED',
      'config.transitions: a list is GoQuorum’s form: write an object whose member "qbft" is the list, {"qbft": [{"block": …}]}',
    ])
  })

  test('when it has GoQuorum’s istanbul section, then the error says IBFT or QBFT', () => {
    const istanbul = { epoch: 30_000, policy: 0, ceil2Nby3Block: 0, testQBFTBlock: 0 }
    const { code, message } = refusalOf(withoutQbft({ isQuorum: true, istanbul }))
    expect(code).toBe('UNSUPPORTED')
    expect(message).toStartWith('config.istanbul: this is GoQuorum’s form: write a qbft section')
  })

  test('when it is GoQuorum’s Raft, which has no section, then the error says so', () => {
    const { code, message } = refusalOf(withoutQbft({ isQuorum: true }))
    expect([code, message]).toEqual([
      'UNSUPPORTED',
      'config.isQuorum: a GoQuorum file without consensus section is one of Raft, which is not supported: use qbft',
    ])
    expect(refusalOf(withoutQbft({ isQuorum: true, ibft: {} })).message).toStartWith('config.ibft: IBFT 1.0')
  })
})

test('given GoQuorum’s QBFT form, when it is read, then it is as in Besu, with a warning for values without effect', () => {
  const { configuration, warnings } = parseGenesis(
    withConfig({ isQuorum: true, txnSizeLimit: 64, maxCodeSizeConfig: [{ block: 0, size: 32 }] }),
  )
  expect(configuration.codeSizeMax).toBe(24_576)
  expect(warnings).toEqual([
    "config.maxCodeSizeConfig: has no effect, it is GoQuorum's; contractSizeLimit sets how large code may be",
  ])
})
