import { GenesisError, type GenesisErrorCode } from '../../../core/genesis/error.ts'
import { parseGenesis } from '../../../core/genesis/parse/parse.ts'

/** A genesis file as an object, so that a test can change a value. */
export type GenesisFile = Readonly<Record<string, unknown>> & {
  readonly config: Readonly<Record<string, unknown>>
}

const MIX_HASH = '0x63746963616c2062797a616e74696e65206661756c7420746f6c6572616e6365'
const VANITY = '00'.repeat(32)
const RICH = { balance: '0x446c3b15f9926687d2c40534fdb564000000000000' }

/** The sample of Besu's QBFT documentation. */
export const DOCUMENTATION: GenesisFile = {
  config: {
    chainid: 1337,
    berlinBlock: 0,
    qbft: { epochlength: 30_000, blockperiodseconds: 5, requesttimeoutseconds: 10 },
  },
  nonce: '0x0',
  timestamp: '0x5b3d92d7',
  extraData: `0xf87aa0${VANITY}f8549464a702e6263b7297a96638cac6ae65e6541f4169943923390ad55e90c237593b3b0e401f3b08a0318594aefdb9a738c9f433e5b6b212a6d62f6370c2f69294c7eeb9a4e00ce683cf93039b212648e01c6c6b78c080c0`,
  gasLimit: '0x29b92700',
  difficulty: '0x1',
  mixHash: MIX_HASH,
  coinbase: '0x0000000000000000000000000000000000000000',
  alloc: {
    '64d9be4177f418bcf4e56adad85f33e3a64efe22': RICH,
    '9f66f8a0f0a6537e4a36aa1799673ea7ae97a166': RICH,
    a7f25969fb6f3d5ac09a88862c90b5ff664557a7: RICH,
    f4bbfd32c11c9d63e9b4c77bb225810f840342df: RICH,
  },
  number: '0x0',
  gasUsed: '0x0',
  parentHash: `0x${'00'.repeat(32)}`,
}

const THREE_ACCOUNTS = {
  fe3b557e8fb62b89f4916b721be55ceb828dbd73: {
    privateKey: '8f2a55949038a9610f50fb23b5883af3b4ecb3c3bb792cbcefbd1542c692be63',
    comment: 'private key and this comment are ignored',
    balance: '0xad78ebc5ac6200000',
  },
  '627306090abaB3A6e1400e9345bC60c78a8BEf57': { balance: '90000000000000000000000' },
  f17f52151EbEF6C7334FAD080c5704D77216b732: { balance: '90000000000000000000000' },
}

/** Four validators with known keys; block 1 of this chain is among the header vectors. */
export const FOUR_VALIDATORS: GenesisFile = {
  ...DOCUMENTATION,
  config: {
    chainId: 4,
    berlinBlock: 0,
    qbft: {
      blockperiodseconds: 1,
      epochlength: 30_000,
      requesttimeoutseconds: 5,
      blockreward: '5000000000000000000',
    },
  },
  timestamp: '0x58ee40ba',
  extraData: `0xf87aa0${VANITY}f85494627306090abab3a6e1400e9345bc60c78a8bef57947e5f4552091a69125d5dfcb7b8c2659029395bdf94f17f52151ebef6c7334fad080c5704d77216b73294fe3b557e8fb62b89f4916b721be55ceb828dbd73c080c0`,
  gasLimit: '0x47b760',
  alloc: THREE_ACCOUNTS,
}

/** No validators yet: nodes of the chain can only connect. */
export const NO_VALIDATORS: GenesisFile = {
  ...DOCUMENTATION,
  config: {
    chainid: 2017,
    byzantiumBlock: 0,
    qbft: {
      blockperiodseconds: 1,
      epochlength: 30_000,
      requesttimeoutseconds: 5,
      blockreward: '5000000000000000000',
    },
  },
  timestamp: '0x0',
  extraData: `0xe5a0${VANITY}c0c080c0`,
  alloc: THREE_ACCOUNTS,
}

/** The documentation's sample with other values in `config`. */
export const withConfig = (changes: Readonly<Record<string, unknown>>): GenesisFile => ({
  ...DOCUMENTATION,
  config: { ...DOCUMENTATION.config, ...changes },
})

/** The documentation's sample with other values in `config.qbft`. */
export const withQbft = (changes: Readonly<Record<string, unknown>>): GenesisFile =>
  withConfig({ qbft: { ...(DOCUMENTATION.config['qbft'] as object), ...changes } })

/** The documentation's sample with transitions. */
export const withTransitions = (...transitions: readonly unknown[]): GenesisFile =>
  withConfig({ transitions: { qbft: transitions } })

/** The documentation's sample as a proof-of-work chain. */
export const withoutQbft = (changes: Readonly<Record<string, unknown>>): GenesisFile => ({
  ...DOCUMENTATION,
  config: { chainId: 1, ...changes },
})

/** The error of parsing a genesis file. */
export const refusalOf = (file: unknown): { readonly code: GenesisErrorCode; readonly message: string } => {
  try {
    parseGenesis(file)
  } catch (error) {
    if (!(error instanceof GenesisError)) throw error
    return { code: error.code, message: error.message }
  }
  throw new Error('the genesis file was taken')
}

/** A refused file: its name, the file, and the code and message of the error. */
export type Refusal = readonly [name: string, file: unknown, code: GenesisErrorCode, message: string]
