import { describe, expect, test } from 'bun:test'
import { toBareHex } from '../../../../core/bytes/hex.ts'
import { parseGenesis, parseGenesisText } from '../../../../core/genesis/parse/parse.ts'
import type { QbftConsensus } from '../../../../core/genesis/qbftSchedule.ts'
import { DEFAULT_PARAMETERS } from '../../../support/chains/qbftDefaults.ts'
import {
  DOCUMENTATION,
  NO_VALIDATORS,
  withConfig,
  withoutQbft,
  withQbft,
  withTransitions,
} from '../genesisFiles.ts'

const ADDRESS = `0x${'11'.repeat(20)}`
const hex = (address: Uint8Array | undefined): string | undefined => address && toBareHex(address)
const qbftOf = (file: unknown): QbftConsensus => parseGenesis(file).configuration.consensus as QbftConsensus
const parametersOf = (file: unknown) => qbftOf(file).parameters

describe("given the sample of Besu's documentation", () => {
  test('when it is read, then it is complete', () => {
    const { configuration, header, alloc, warnings } = parseGenesis(DOCUMENTATION)
    expect(configuration.chainId).toBe(1337n)
    expect(configuration.consensus).toEqual({
      kind: 'qbft',
      startBlock: 0n,
      transitions: [],
      messaging: {
        messageQueueLimit: 1000,
        duplicateMessageLimit: 100,
        futureMessagesLimit: 1000,
        futureMessagesMaxDistance: 10,
      },
      parameters: {
        blockPeriodSeconds: 5,
        blockPeriodMs: 0,
        emptyBlockPeriodSeconds: 0,
        epochLength: 30_000n,
        requestTimeoutSeconds: 10,
        blockReward: 0n,
        perTxGasLimit: undefined,
        miningBeneficiary: undefined,
        validatorSelection: { mode: 'blockheader' },
      },
    })
    expect(header).toMatchObject({ difficulty: 1n, gasLimit: 0x29b92700n, timestamp: 0x5b3d92d7n })
    expect(alloc).toHaveLength(4)
    expect(alloc[0]?.balance).toBe(0x446c3b15f9926687d2c40534fdb564000000000000n)
    expect(warnings).toEqual([])
  })

  test('when its keys have any case at every level, then they are read', () => {
    const upper = (value: unknown): unknown =>
      typeof value === 'object' && value !== null
        ? Object.fromEntries(Object.entries(value).map(([key, member]) => [key.toUpperCase(), upper(member)]))
        : value
    expect(parseGenesis(upper(DOCUMENTATION))).toEqual(parseGenesis(DOCUMENTATION))
  })

  test('when it has unknown keys, then they are ignored', () => {
    const file = {
      ...withConfig({ eip155Block: 'x', maxCodeSize: null, txnSizeLimit: [] }),
      anything: { at: 'all' },
    }
    expect(parseGenesis(file).configuration).toEqual(parseGenesis(DOCUMENTATION).configuration)
  })
})

describe('given defaults', () => {
  test('when the qbft section is empty, then they are Besu’s', () => {
    expect(parametersOf(withConfig({ qbft: {} }))).toEqual(DEFAULT_PARAMETERS)
  })

  test('when all other fields are missing, then the defaults are Besu’s', () => {
    const { configuration, header } = parseGenesis({
      config: { qbft: {} },
      difficulty: '0x1',
      gasTarget: 5000,
      extraData: DOCUMENTATION['extraData'],
    })
    expect(configuration).toMatchObject({
      chainId: 1n,
      zeroBaseFee: false,
      fixedBaseFee: false,
      codeSizeMax: 24_576,
      stackItemsMax: 1024,
    })
    expect(configuration.depositContractAddress).toBeUndefined()
    expect(header).toMatchObject({ gasLimit: 5000n, timestamp: 0n, baseFeePerGas: undefined })
    expect([header.mixHash, header.parentHash, header.nonce]).toEqual([
      new Uint8Array(32),
      new Uint8Array(32),
      new Uint8Array(8),
    ])
  })

  test('when the chain is not QBFT, then the system contracts are mainnet’s', () => {
    const { configuration } = parseGenesis(withoutQbft({ ethash: {} }))
    expect(hex(configuration.depositContractAddress)).toBe('00000000219ab540356cbb839cbe05303d7705fa')
    expect(hex(configuration.withdrawalRequestContractAddress)).toBe(
      '00000961ef480eb55e80d19ad83579a64c007002',
    )
    expect(hex(configuration.consolidationRequestContractAddress)).toBe(
      '0000bbddc7ce488642fb579f8b00f3a590007251',
    )
    const own = parseGenesis(withoutQbft({ ethash: {}, depositContractAddress: ADDRESS }))
    expect(hex(own.configuration.depositContractAddress)).toBe('11'.repeat(20))
  })
})

describe('given numbers', () => {
  test('when it is the chain id, then it is a decimal number of any size, or a decimal string', () => {
    const chainId = (value: unknown) => parseGenesis(withConfig({ chainid: value })).configuration.chainId
    expect(chainId(3_503_995_874_084_926)).toBe(3_503_995_874_084_926n)
    expect(chainId('9007199254740993')).toBe(9_007_199_254_740_993n)
    const text = JSON.stringify(withConfig({ chainid: 0 })).replace(
      '"chainid":0',
      '"chainid":9007199254740993',
    )
    expect(parseGenesisText(text).configuration.chainId).toBe(9_007_199_254_740_993n)
  })

  test('when they are difficulty and nonce, then hex; gas limit and timestamp are hex only after 0x', () => {
    const { header, alloc } = parseGenesis({
      ...DOCUMENTATION,
      difficulty: 10,
      nonce: '10',
      gasLimit: '8000000',
      timestamp: 1600,
      alloc: { [ADDRESS]: { nonce: 10 } },
    })
    expect([header.difficulty, header.nonce[7], header.gasLimit, header.timestamp]).toEqual([
      16n,
      16,
      8_000_000n,
      1600n,
    ])
    expect(alloc[0]?.nonce).toBe(16n)
  })

  test('when it is a balance, then decimal, hex or a plain number of any size', () => {
    const text = `{"config":{"qbft":{}},"difficulty":"1","gasLimit":"1","extraData":${JSON.stringify(DOCUMENTATION['extraData'])},
      "alloc":{"1":{"balance":"90000000000000000000000"},"2":{"balance":"0xAD78ebc5ac6200000"},"3":{"balance":90000000000000000000001}}}`
    expect(parseGenesisText(text).alloc.map(account => account.balance)).toEqual([
      90_000_000_000_000_000_000_000n,
      0xad78ebc5ac6200000n,
      90_000_000_000_000_000_000_001n,
    ])
  })

  test('when it is the block period or reward, then quotes, decimal, hex and numbers work', () => {
    expect(parametersOf(withQbft({ blockperiodseconds: '7' })).blockPeriodSeconds).toBe(7)
    for (const blockreward of ['5000000000000000000', '0x4563918244F40000', 5_000_000_000_000_000_000n])
      expect(parametersOf(withQbft({ blockreward })).blockReward).toBe(5_000_000_000_000_000_000n)
  })
})

describe('given qbft options', () => {
  test('when they are read, then periods, beneficiary and contract are right', () => {
    const parameters = parametersOf(
      withQbft({
        xBlockPeriodMilliseconds: 500,
        xEmptyBlockPeriodSeconds: 60,
        miningBeneficiary: ADDRESS,
        validatorContractAddress: '0x0000000000000000000000000000000000008888',
      }),
    )
    expect(parameters).toMatchObject({ blockPeriodMs: 500, emptyBlockPeriodSeconds: 60 })
    expect(hex(parameters.miningBeneficiary)).toBe('11'.repeat(20))
    expect(parameters.validatorSelection).toMatchObject({ mode: 'contract' })
    expect(parametersOf(withQbft({ emptyBlockPeriodSeconds: 60 })).emptyBlockPeriodSeconds).toBe(60)
    expect(parametersOf(withQbft({ miningBeneficiary: ' ' })).miningBeneficiary).toBeUndefined()
    expect(parametersOf(withQbft({ startBlock: 0 })).epochLength).toBe(30_000n)
  })

  test('when transitions leave out values, then they inherit them in block order', () => {
    const { transitions } = qbftOf({
      ...withTransitions(
        { block: 30, miningBeneficiary: '' },
        { block: 10, miningBeneficiary: ADDRESS, blockReward: '5' },
        { BLOCK: 20, BlockPeriodSeconds: 9, XBlockPeriodMilliseconds: 100, xEmptyBlockPeriodSeconds: 4 },
      ),
    })
    const seen = transitions.map(({ block, parameters }) => [
      block,
      hex(parameters.miningBeneficiary)?.slice(0, 2),
      parameters.blockReward,
      parameters.blockPeriodSeconds,
      parameters.blockPeriodMs,
      parameters.emptyBlockPeriodSeconds,
      parameters.epochLength,
    ])
    expect(seen).toEqual([
      [10n, '11', 5n, 5, 0, 0, 30_000n],
      [20n, '11', 5n, 9, 100, 4, 30_000n],
      [30n, undefined, 5n, 9, 100, 4, 30_000n],
    ])
  })

  test('when transitions change the selection of validators, then it applies', () => {
    const contract = '0x0000000000000000000000000000000000009999'
    const { transitions } = qbftOf(
      withTransitions(
        { block: 1, validatorSelectionMode: 'Contract', validatorContractAddress: contract },
        { block: 2, blockperiodseconds: 2 },
        { block: 3, validatorSelectionMode: 'blockheader', validators: [ADDRESS, contract] },
        { block: 4, validatorselectionmode: 'something else' },
      ),
    )
    const modes = transitions.map(({ parameters, validators }) => [
      parameters.validatorSelection.mode,
      validators?.length,
    ])
    expect(modes).toEqual([
      ['contract', undefined],
      ['contract', undefined],
      ['blockheader', 2],
      ['blockheader', undefined],
    ])
  })

  test('when contract mode names no address, then the one in force stays', () => {
    const file = withConfig({
      qbft: { validatorcontractaddress: ADDRESS },
      transitions: { qbft: [{ block: 5, validatorSelectionMode: 'contract' }] },
    })
    expect(qbftOf(file).transitions[0]?.parameters.validatorSelection).toMatchObject({ mode: 'contract' })
  })
})

describe('given the consensus', () => {
  test('when the form is geth’s, then it is proof of work', () => {
    const geth = withoutQbft({ mergeNetsplitBlock: 0, terminalTotalDifficulty: '58750000000000000000000' })
    expect(parseGenesis(geth).configuration.consensus).toEqual({
      kind: 'ethash',
      terminalTotalDifficulty: 58_750_000_000_000_000_000_000n,
    })
  })

  test('when the chain is proof of work, then its forks are read in order', () => {
    const { configuration } = parseGenesis(
      withoutQbft({
        ethash: {},
        homesteadBlock: 1,
        daoForkBlock: 2,
        eip150Block: 2,
        constantinopleFixBlock: 9,
      }),
    )
    expect(configuration.forks.map(({ fork }) => fork)).toEqual([
      'frontier',
      'homestead',
      'tangerineWhistle',
      'petersburg',
    ])
    expect(configuration.daoForkBlock).toBe(2n)
    expect(
      parseGenesis(withoutQbft({ ethash: {}, daoForkBlock: 0 })).configuration.daoForkBlock,
    ).toBeUndefined()
  })
})

describe('given alloc', () => {
  test('when addresses and slots lack 0x or have leading zeros, then they are read', () => {
    const { alloc } = parseGenesis({
      ...DOCUMENTATION,
      alloc: {
        '0xFf': {
          code: '0x6001',
          storage: { '0': '0x0', '0x1': '2', ['ab'.repeat(32)]: `0x${'cd'.repeat(32)}` },
        },
        ['22'.repeat(20)]: { comment: 'x', privateKey: 'y', unknown: { z: 1 } },
      },
    })
    expect(alloc.map(account => hex(account.address))).toEqual([`${'0'.repeat(38)}ff`, '22'.repeat(20)])
    expect(alloc[0]?.storage.map(([slot, value]) => [slot[31], value[31]])).toEqual([
      [1, 2],
      [0xab, 0xcd],
    ])
    expect(hex(alloc[0]?.code)).toBe('6001')
  })

  test('when it is missing, then it is empty', () => {
    const { alloc: _, ...file } = DOCUMENTATION
    expect(parseGenesis(file).alloc).toEqual([])
  })
})

describe('given warnings', () => {
  test('when a chain cannot make a block, then there is one', () => {
    expect(parseGenesis(NO_VALIDATORS).warnings).toEqual([
      'Genesis block contains no signers - chain will not progress.',
    ])
  })

  test('when settings have no effect, then there is one', () => {
    const file = withConfig({
      qbft: { validatorContractAddress: ADDRESS },
      terminalTotalDifficulty: 0,
      transitions: { qbft: [{ block: 4, validatorContractAddress: ADDRESS }] },
    })
    expect(parseGenesis(file).warnings).toEqual([
      'config.transitions.qbft[0]: validatorContractAddress has no effect without validatorSelectionMode "contract"',
      'extraData: its validators have no effect, config.qbft.validatorContractAddress selects them',
      'config.terminalTotalDifficulty: has no effect on a QBFT chain',
    ])
  })

  test('when transitions do not select the validators they seem to, then there is one', () => {
    const validators = [ADDRESS]
    const file = withConfig({
      transitions: {
        qbft: [
          { block: 9, validators },
          { block: 4, validatorSelectionMode: 'Contract', validatorContractAddress: ADDRESS },
          { block: 3, validatorSelectionMode: 'contarct', validators },
          { block: 12, validatorSelectionMode: 'BLOCKHEADER', validators },
        ],
      },
    })
    expect(parseGenesis(file).warnings).toEqual([
      'config.transitions.qbft[0]: validators has no effect where a contract selects them, without validatorSelectionMode "blockheader"',
      'config.transitions.qbft[2].validatorSelectionMode: has no effect, it must be "blockheader" or "contract"',
    ])
  })
})
