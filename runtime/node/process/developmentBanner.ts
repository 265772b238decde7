import { toHex, toQuantity } from '../../../core/bytes/hex.ts'
import type { ChainConfiguration } from '../../../core/genesis/configuration.ts'
import {
  DEVELOPMENT_ACCOUNTS,
  DEVELOPMENT_MNEMONIC,
  DEVELOPMENT_PATH,
} from '../../../core/genesis/development/accounts.ts'
import type { Header } from '../../../core/block/header.ts'
import { checksumAddress } from './checksumAddress.ts'

const RULE = '=================='
const WEI_PER_ETHER = 10n ** 18n

const section = (title: string, ...lines: readonly string[]): string => [title, RULE, ...lines].join('\n')

const ether = (wei: bigint): string =>
  `${wei / WEI_PER_ETHER}.${(wei % WEI_PER_ETHER).toString().padStart(18, '0')} ETH`

/** The accounts of a development chain in the format of anvil, for programs that parse anvil's output. */
export const developmentBanner = (
  configuration: ChainConfiguration,
  genesis: Header,
  balance: (address: Uint8Array) => bigint,
): string =>
  [
    section(
      'Available Accounts',
      '',
      ...DEVELOPMENT_ACCOUNTS.map(
        ({ address }, index) => `(${index}) ${checksumAddress(address)} (${ether(balance(address))})`,
      ),
    ),
    section(
      'Private Keys',
      '',
      ...DEVELOPMENT_ACCOUNTS.map(({ privateKey }, index) => `(${index}) ${toHex(privateKey)}`),
    ),
    section(
      'Wallet',
      `Mnemonic:          ${DEVELOPMENT_MNEMONIC}`,
      `Derivation path:   ${DEVELOPMENT_PATH}/`,
    ),
    section('Chain ID', '', `${configuration.chainId}`),
    section('Base Fee', '', `${genesis.baseFeePerGas ?? 0n}`),
    section('Gas Limit', '', `${genesis.gasLimit}`),
    section('Genesis Timestamp', '', `${genesis.timestamp}`),
    'These keys are public. Use this chain for development only.',
  ].join('\n\n')

/** The same data as properties of one log record, for JSON output. */
export const developmentFields = (
  configuration: ChainConfiguration,
  genesis: Header,
  balance: (address: Uint8Array) => bigint,
): Readonly<Record<string, unknown>> => ({
  accounts: DEVELOPMENT_ACCOUNTS.map(({ address, privateKey }) => ({
    address: checksumAddress(address),
    privateKey: toHex(privateKey),
    balance: toQuantity(balance(address)),
  })),
  mnemonic: DEVELOPMENT_MNEMONIC,
  derivationPath: `${DEVELOPMENT_PATH}/`,
  chainId: configuration.chainId,
  baseFeePerGas: toQuantity(genesis.baseFeePerGas ?? 0n),
  gasLimit: toQuantity(genesis.gasLimit),
  genesisTimestamp: genesis.timestamp,
})
