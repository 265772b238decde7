import { describe, expect, test } from 'bun:test'
import { consensusEntries } from '../../../../core/genesis/comparison/consensusEntries.ts'
import { parseGenesis } from '../../../../core/genesis/parse/parse.ts'
import { DOCUMENTATION, withConfig, withoutQbft, withQbft, withTransitions } from '../genesisFiles.ts'

const A = `0x${'11'.repeat(20)}`
const B = `0x${'22'.repeat(20)}`

const entriesOf = (file: unknown) => consensusEntries(parseGenesis(file))

/** Names of the entries in which two files differ. */
const differing = (a: unknown, b: unknown): readonly string[] => {
  const [first, second] = [entriesOf(a), entriesOf(b)]
  return [...new Set([...Object.keys(first), ...Object.keys(second)])]
    .filter(name => first[name] !== second[name])
    .sort()
}

describe('given the entries on which all nodes must agree', () => {
  test('when they are the documentation’s sample, then they have the file’s names, with defaults', () => {
    const { alloc, extraData, ...entries } = entriesOf(DOCUMENTATION)
    expect(alloc).toMatch(/^0x[0-9a-f]{64}$/)
    expect(extraData).toBe(DOCUMENTATION['extraData'] as string)
    expect(entries).toEqual({
      chainId: '1337',
      berlinBlock: '0',
      zeroBaseFee: 'false',
      fixedBaseFee: 'false',
      contractSizeLimit: '24576',
      evmStackSize: '1024',
      'qbft.epochlength': '30000',
      'qbft.startblock': '0',
      'qbft.blockperiodseconds': '5',
      'qbft.xblockperiodmilliseconds': '0',
      'qbft.emptyblockperiodseconds': '0',
      'qbft.blockreward': '0',
      'qbft.miningbeneficiary': '',
      'qbft.validatorselectionmode': 'blockheader',
      'qbft.validatorcontractaddress': '',
      parentHash: `0x${'00'.repeat(32)}`,
      coinbase: `0x${'00'.repeat(20)}`,
      difficulty: '0x1',
      gasLimit: '0x29b92700',
      timestamp: '0x5b3d92d7',
      mixHash: DOCUMENTATION['mixHash'] as string,
      nonce: '0x0000000000000000',
      blobGasUsed: '0x0',
      excessBlobGas: '0x0',
      parentBeaconBlockRoot: `0x${'00'.repeat(32)}`,
    })
  })

  test('when forks are by block and time, then each has its blobs', () => {
    const entries = entriesOf(
      withConfig({
        londonBlock: 7,
        constantinopleFixBlock: 0,
        eip150Block: 0,
        shanghaiTime: 2_000_000_000,
        cancunTime: 2_000_000_001,
        osakaTime: 2_000_000_002,
        bpo1Time: 2_000_000_003,
        blobSchedule: { bpo1: { target: 2, max: 4, baseFeeUpdateFraction: 99 } },
      }),
    )
    expect(entries).toMatchObject({
      eip150Block: '0',
      petersburgBlock: '0',
      londonBlock: '7',
      shanghaiTime: '2000000000',
      cancunTime: '2000000001',
      osakaTime: '2000000002',
      bpo1Time: '2000000003',
      'blobSchedule.cancun.max': '6',
      'blobSchedule.bpo1.target': '2',
      'blobSchedule.bpo1.max': '4',
      'blobSchedule.bpo1.baseFeeUpdateFraction': '99',
    })
    expect(
      Object.keys(entries).filter(name => name.includes('shanghai') || name.includes('frontier')),
    ).toEqual(['shanghaiTime'])
  })

  test.each([
    ['chainId', withConfig({ chainid: 5 })],
    ['berlinBlock', withConfig({ berlinBlock: 3 })],
    ['zeroBaseFee', withConfig({ zeroBaseFee: true })],
    ['contractSizeLimit', withConfig({ contractSizeLimit: 99_999 })],
    ['evmStackSize', withConfig({ evmStackSize: 2048 })],
    ['depositContractAddress', withConfig({ depositContractAddress: A })],
    ['qbft.epochlength', withQbft({ epochlength: 7 })],
    ['qbft.blockperiodseconds', withQbft({ blockperiodseconds: 7 })],
    ['qbft.xblockperiodmilliseconds', withQbft({ xblockperiodmilliseconds: 7 })],
    ['qbft.emptyblockperiodseconds', withQbft({ xemptyblockperiodseconds: 7 })],
    ['qbft.blockreward', withQbft({ blockreward: '7' })],
    ['qbft.pertxgaslimit', withQbft({ pertxgaslimit: 0 })],
    ['qbft.miningbeneficiary', withQbft({ miningbeneficiary: A })],
    ['gasLimit', { ...DOCUMENTATION, gasLimit: '0x29b92701' }],
    ['timestamp', { ...DOCUMENTATION, timestamp: '0x0' }],
    ['nonce', { ...DOCUMENTATION, nonce: '0x1' }],
    ['baseFeePerGas', { ...DOCUMENTATION, baseFeePerGas: '0x7' }],
    ['alloc', { ...DOCUMENTATION, alloc: {} }],
  ])('when files differ by %s alone, then the entries differ', (name, file) => {
    expect(differing(DOCUMENTATION, file)).toEqual([name])
  })

  test('when nodes may differ in a value, then it is left out', () => {
    const tuned = withQbft({
      requesttimeoutseconds: 99,
      messagequeuelimit: 9,
      duplicatemessagelimit: 9,
      futuremessageslimit: 9,
      futuremessagesmaxdistance: 9,
      gossipedhistorylimit: 9,
    })
    expect(differing(DOCUMENTATION, tuned)).toEqual([])
  })

  test('when the file is written differently, then they are the same', () => {
    const alloc = Object.entries(DOCUMENTATION['alloc'] as object).reverse()
    const rewritten = {
      ...withConfig({
        chainid: undefined,
        CHAINID: '1337',
        qbft: { EpochLength: 30_000, BLOCKPERIODSECONDS: '5' },
      }),
      gasLimit: 0x29b92700,
      alloc: Object.fromEntries(alloc.map(([key, account]) => [`0x${key.toUpperCase()}`, account])),
    }
    delete (rewritten.config as Record<string, unknown>)['chainid']
    expect(differing(DOCUMENTATION, rewritten)).toEqual([])
  })

  test('when the chain is proof of work, then they have its total difficulty', () => {
    expect(
      entriesOf(withoutQbft({ ethash: {}, terminalTotalDifficulty: 5 }))['terminalTotalDifficulty'],
    ).toBe('5')
  })
})

describe('given entries of transitions', () => {
  test('when they are compared, then they are by block and key, with the changed values', () => {
    const none = withTransitions()
    const some = withTransitions(
      { block: 12, blockperiodseconds: 2, blockreward: '0', miningbeneficiary: A },
      { block: 20, blockperiodseconds: 2, miningbeneficiary: '' },
      { block: 30, validatorselectionmode: 'contract', validatorcontractaddress: B },
      { block: 40, validatorselectionmode: 'blockheader', validators: [B, A] },
    )
    expect(differing(none, some)).toEqual([
      'transitions.qbft[block 12].blockperiodseconds',
      'transitions.qbft[block 12].miningbeneficiary',
      'transitions.qbft[block 20].miningbeneficiary',
      'transitions.qbft[block 30].validatorcontractaddress',
      'transitions.qbft[block 30].validatorselectionmode',
      'transitions.qbft[block 40].validatorcontractaddress',
      'transitions.qbft[block 40].validators',
      'transitions.qbft[block 40].validatorselectionmode',
    ])
    expect(entriesOf(some)).toMatchObject({
      'transitions.qbft[block 12].miningbeneficiary': A,
      'transitions.qbft[block 20].miningbeneficiary': '',
      'transitions.qbft[block 40].validators': `${A},${B}`,
    })
  })

  test('when one is at another block, then both blocks differ', () => {
    expect(
      differing(
        withTransitions({ block: 12, blockreward: '5' }),
        withTransitions({ block: 13, blockreward: '5' }),
      ),
    ).toEqual(['transitions.qbft[block 12].blockreward', 'transitions.qbft[block 13].blockreward'])
  })

  test('when there are more than 64, then the others are one entry, and long lists a hash', () => {
    const many = (last: number) =>
      withTransitions(
        ...Array.from({ length: 1000 }, (_, index) => ({ block: index + 1, blockreward: String(index + 1) })),
        { block: 5000, blockreward: String(last) },
      )
    expect(Object.keys(entriesOf(many(1))).length).toBeLessThan(128)
    expect(differing(many(1), many(2))).toEqual(['transitions.qbft[after the first 64]'])
    const addresses = Array.from({ length: 100 }, (_, index) => `0x${index.toString(16).padStart(40, '0')}`)
    const [value] = Object.entries(entriesOf(withTransitions({ block: 1, validators: addresses })))
      .filter(([name]) => name.endsWith('.validators'))
      .map(([, text]) => text)
    expect(value).toMatch(/^keccak256 0x[0-9a-f]{64}$/)
  })
})
