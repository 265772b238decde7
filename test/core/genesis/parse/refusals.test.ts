import { describe, expect, test } from 'bun:test'
import { DOCUMENTATION, type Refusal, refusalOf, withConfig, withoutQbft } from '../genesisFiles.ts'

const ADDRESS = `0x${'11'.repeat(20)}`

describe('given a genesis file with a fault', () => {
  const { difficulty: _, ...noDifficulty } = DOCUMENTATION
  const { gasLimit: __, ...noGasLimit } = DOCUMENTATION
  const top = (changes: object) => ({ ...DOCUMENTATION, ...changes })
  const account = (fields: unknown) => top({ alloc: { [ADDRESS]: fields } })
  const missing = (keys: string) =>
    `Invalid genesis block configuration, missing value for one of '[${keys}]'`
  const outOfOrder = (fork: string) =>
    `Genesis Config Error: '${fork}' is scheduled for milestone 5 but it must be on or after milestone 10.`
  const work = 'defines a proof-of-work chain, and config.qbft a QBFT chain: remove one of them'

  const cases: readonly Refusal[] = [
    ['no object', [], 'INVALID_VALUE', 'Expected object value but got array'],
    [
      'no config',
      { difficulty: '1', gasLimit: 1 },
      'INVALID_VALUE',
      'Unknown consensus mechanism defined: config is missing',
    ],
    ['no difficulty', noDifficulty, 'INVALID_VALUE', missing('difficulty')],
    ['no gas limit', noGasLimit, 'INVALID_VALUE', missing('gasLimit, gasTarget')],
    [
      'a difficulty that is no hex',
      top({ difficulty: '0xz' }),
      'INVALID_VALUE',
      "difficulty: must be a hexadecimal number but was '0xz'",
    ],
    [
      'a gas limit that is not a number',
      top({ gasLimit: 'much' }),
      'INVALID_VALUE',
      "gasLimit: must be a number but was 'much'",
    ],
    [
      'a gas limit with a leading zero',
      top({ gasLimit: '010' }),
      'INVALID_VALUE',
      "gasLimit: must be a number but was '010'",
    ],
    [
      'a gas limit of 2^63',
      top({ gasLimit: '0x8000000000000000' }),
      'INVALID_VALUE',
      'gasLimit: does not fit into 63 bits: 0x8000000000000000',
    ],
    [
      'a base fee as number',
      top({ baseFeePerGas: 7 }),
      'INVALID_VALUE',
      'baseFeePerGas: Expected string value but got number',
    ],
    [
      'a nonce of nine bytes',
      top({ nonce: '0x010000000000000000' }),
      'INVALID_VALUE',
      'nonce: does not fit into 64 bits: 0x10000000000000000',
    ],
    [
      'a mixHash of 33 bytes',
      top({ mixHash: `0x${'01'.repeat(33)}` }),
      'INVALID_VALUE',
      'mixHash: must be at most 32 bytes in hexadecimal digits',
    ],
    [
      'a coinbase of 21 bytes',
      top({ coinbase: `0x${'01'.repeat(21)}` }),
      'INVALID_VALUE',
      'coinbase: must be at most 20 bytes in hexadecimal digits',
    ],
    [
      'extraData of odd length',
      top({ extraData: '0xabc' }),
      'INVALID_VALUE',
      'extraData: must be an even number of hexadecimal digits',
    ],
    [
      'extraData as number',
      top({ extraData: 1 }),
      'INVALID_VALUE',
      'extraData: Expected string value but got number',
    ],
    [
      'a placeholder in extraData',
      top({ extraData: '0x...' }),
      'INVALID_VALUE',
      "extraData: must be hexadecimal digits but was '0x...'",
    ],
    [
      'no extraData',
      top({ extraData: '0x' }),
      'INVALID_VALUE',
      'extraData: Invalid extraData in genesis block configuration: Invalid Bytes supplied - Bft Extra Data required.',
    ],
    [
      'extraData that is not QBFT’s',
      top({ extraData: '0xc0' }),
      'INVALID_VALUE',
      'extraData: Invalid extraData in genesis block configuration: extraData: 5 fields expected, not 0',
    ],

    [
      'a chain id in hex',
      withConfig({ chainid: '0x539' }),
      'INVALID_VALUE',
      "config.chainid: must be a decimal number but was '0x539'",
    ],
    [
      'a chain id that is not whole',
      withConfig({ chainid: 1.5 }),
      'INVALID_VALUE',
      "config.chainid: must be a decimal number but was '1.5'",
    ],
    [
      'a negative chain id',
      withConfig({ chainid: -1 }),
      'INVALID_VALUE',
      "config.chainid: must be a decimal number but was '-1'",
    ],
    [
      'a quoted fork block',
      withConfig({ londonBlock: '0' }),
      'INVALID_VALUE',
      'config.londonBlock: Expected number value but got string',
    ],
    [
      'a fork block that is not whole',
      withConfig({ londonBlock: 0.5 }),
      'INVALID_VALUE',
      'config.londonBlock: Cannot convert value to long: 0.5',
    ],
    [
      'a negative fork block',
      withConfig({ londonBlock: -1 }),
      'INVALID_VALUE',
      'config.londonBlock: must not be negative: -1',
    ],
    [
      'a fork time beyond a long',
      withConfig({ shanghaiTime: 2n ** 63n }),
      'INVALID_VALUE',
      'config.shanghaiTime: Cannot convert value to long: 9223372036854775808',
    ],
    [
      'a quoted flag',
      withConfig({ zeroBaseFee: 'true' }),
      'INVALID_VALUE',
      'config.zeroBaseFee: Expected boolean value but got string',
    ],
    [
      'a stack larger than there is room for',
      withConfig({ evmStackSize: 32_769 }),
      'UNSUPPORTED',
      'config.evmStackSize: a stack of 32769 items is not supported: 32768 at most, 1024 by default',
    ],
    [
      'a contract size limit of zero',
      withConfig({ contractSizeLimit: 0 }),
      'INVALID_VALUE',
      'config.contractSizeLimit: must be greater than zero',
    ],
    [
      'both base fee rules',
      withConfig({ zeroBaseFee: true, fixedBaseFee: true }),
      'CONTRADICTION',
      'config: zeroBaseFee and fixedBaseFee exclude each other: keep one',
    ],
    [
      'both names of Petersburg',
      withConfig({ petersburgBlock: 0, constantinopleFixBlock: 0 }),
      'CONTRADICTION',
      'config: Genesis files cannot specify both petersburgBlock and constantinopleFixBlock.',
    ],
    [
      'forks out of order',
      withConfig({ berlinBlock: 10, londonBlock: 5 }),
      'CONTRADICTION',
      `config.londonBlock: ${outOfOrder('london')}`,
    ],
    [
      'fork times out of order',
      withConfig({ shanghaiTime: 10, cancunTime: 5 }),
      'CONTRADICTION',
      `config.cancunTime: ${outOfOrder('cancun')}`,
    ],
    [
      'one key in two spellings',
      withConfig({ chainId: 5 }),
      'CONTRADICTION',
      'config.chainId: given twice, also as config.chainid: keep one',
    ],
    [
      'a fork that is not there yet',
      withConfig({ amsterdamTime: 0 }),
      'UNSUPPORTED',
      'config.amsterdamTime: this fork is not supported: remove it',
    ],
    [
      'another curve',
      withConfig({ ecCurve: 'secp256r1' }),
      'UNSUPPORTED',
      'config.ecCurve: secp256r1 is not supported: use secp256k1',
    ],
    [
      'a blob fork without parameters',
      withConfig({ osakaTime: 0, bpo3Time: 0 }),
      'INVALID_VALUE',
      'config.bpo3Time: needs its parameters: add config.blobSchedule.bpo3',
    ],
    [
      'blob parameters without target',
      withConfig({ cancunTime: 0, blobSchedule: { cancun: { max: 6 } } }),
      'INVALID_VALUE',
      'config.blobSchedule.cancun: target is missing',
    ],
    [
      'more blobs aimed at than allowed',
      withConfig({
        cancunTime: 0,
        blobSchedule: { cancun: { target: 7, max: 6, baseFeeUpdateFraction: 1 } },
      }),
      'CONTRADICTION',
      'config.blobSchedule.cancun: target 7 is above max 6',
    ],
    [
      'a system contract that is no address',
      withConfig({ depositContractAddress: '0x12' }),
      'INVALID_VALUE',
      'config.depositContractAddress: must be an address: 0x and 40 hexadecimal digits',
    ],

    [
      'no consensus',
      withoutQbft({}),
      'INVALID_VALUE',
      'config: Unknown consensus mechanism defined: add a qbft section',
    ],
    [
      'IBFT 2.0',
      withoutQbft({ ibft2: {} }),
      'UNSUPPORTED',
      'config.ibft2: IBFT 2.0 alone is not supported: add a qbft section whose startBlock is the first block of QBFT, the same on all nodes; blocks before it are imported from the nodes that run IBFT 2.0',
    ],
    [
      'IBFT 1.0',
      withoutQbft({ ibft: {} }),
      'UNSUPPORTED',
      'config.ibft: IBFT 1.0 is no longer supported: use qbft',
    ],
    [
      'Clique',
      withoutQbft({ clique: {} }),
      'UNSUPPORTED',
      'config.clique: Clique is not supported: use qbft',
    ],
    [
      'a history of IBFT 1.0',
      withConfig({ ibft: {} }),
      'UNSUPPORTED',
      'config.ibft: a chain that began with IBFT 1.0 is not supported: its blocks are sealed otherwise than those of IBFT 2.0 and QBFT',
    ],
    [
      'a history of IBFT 2.0 without the first block of QBFT',
      withConfig({ ibft2: {} }),
      'INVALID_VALUE',
      'config.qbft: Missing QBFT startBlock config in genesis file: give the number of the first block of QBFT',
    ],
    [
      'a history of IBFT 2.0 that QBFT follows from block 0',
      withConfig({ ibft2: {}, qbft: { startBlock: 0 } }),
      'INVALID_VALUE',
      'config.qbft.startBlock: Invalid QBFT startBlock config in genesis file: it must be above 0',
    ],
    [
      'a first block of QBFT without history',
      withConfig({ qbft: { startBlock: 5 } }),
      'CONTRADICTION',
      'config.qbft.startBlock: the blocks before it need the ibft2 section of the chain: add that section, or remove startBlock',
    ],
    [
      'a history of IBFT 2.0 on a genesis block of QBFT',
      withConfig({ ibft2: {}, qbft: { startBlock: 5 } }),
      'INVALID_VALUE',
      'extraData: Invalid extraData in genesis block configuration: it is encoded for QBFT, but the chain begins with IBFT 2.0',
    ],
    ['qbft and ethash', withConfig({ ethash: {} }), 'CONTRADICTION', `config.ethash: ${work}`],
    [
      'qbft and geth’s merge block',
      withConfig({ mergeNetsplitBlock: 0 }),
      'CONTRADICTION',
      `config.mergeNetsplitBlock: ${work}`,
    ],
    [
      'qbft that is no object',
      withConfig({ qbft: true }),
      'INVALID_VALUE',
      'config.qbft: Expected object value but got boolean',
    ],

    [
      'an account that is no object',
      account('1'),
      'INVALID_VALUE',
      `alloc.${ADDRESS}: Expected object value but got string`,
    ],
    [
      'an account at no address',
      top({ alloc: { me: {} } }),
      'INVALID_VALUE',
      'alloc.me: must be at most 20 bytes in hexadecimal digits',
    ],
    [
      'an account in two spellings',
      top({ alloc: { '0x01': {}, '1': {} } }),
      'CONTRADICTION',
      `alloc.0x01: the account 0x${'0'.repeat(39)}1 is given twice: keep one`,
    ],
    [
      'a negative balance',
      account({ balance: '-5' }),
      'INVALID_VALUE',
      `alloc.${ADDRESS}.balance: must be a number but was '-5'`,
    ],
    [
      'a balance of 2^256',
      account({ balance: `0x1${'0'.repeat(64)}` }),
      'INVALID_VALUE',
      `alloc.${ADDRESS}.balance: does not fit into 256 bits: 0x1${'0'.repeat(64)}`,
    ],
    [
      'a balance that lost its digits',
      account({ balance: 1e25 }),
      'INVALID_VALUE',
      `alloc.${ADDRESS}.balance: must be a number but was '1e+25'`,
    ],
    [
      'code of odd length',
      account({ code: '0x123' }),
      'INVALID_VALUE',
      `alloc.${ADDRESS}.code: must be an even number of hexadecimal digits`,
    ],
    [
      'a slot in two spellings',
      account({ storage: { '0x0': '1', '00': '2' } }),
      'CONTRADICTION',
      `alloc.${ADDRESS}.storage.00: this slot is given twice: keep one`,
    ],
    [
      'a value of 33 bytes',
      account({ storage: { '0x0': `0x${'11'.repeat(33)}` } }),
      'INVALID_VALUE',
      `alloc.${ADDRESS}.storage.0x0: must be at most 32 bytes in hexadecimal digits`,
    ],
  ]
  for (const [name, file, code, message] of cases)
    test(`when it has ${name}, then it is refused`, () => {
      expect(refusalOf(file)).toEqual({ code, message })
    })
})
