import { type Address, compareBytes } from '../../bytes/bytes.ts'
import { toHex, toQuantity } from '../../bytes/hex.ts'
import { keccak256 } from '../../crypto/crypto.ts'
import { encodeRlp } from '../../rlp/rlp.ts'
import type { ChainConfiguration, ForkActivation, GenesisAccount } from '../configuration.ts'
import { forkKeys } from '../parse/forks.ts'
import type { Genesis, GenesisHeader } from '../genesis.ts'
import { qbftByNumber, type QbftConsensus } from '../qbftSchedule.ts'
import { parameterEntries, sectionAt, transitionEntries } from '../transitionEntries.ts'

type Entries = Record<string, string>

/**
 * Longer values, for example a list of a hundred validators, are replaced by their hash: nodes compare the hashes, and
 * operators read the values in the file.
 */
const VALUE_LENGTH_MAX = 1024

const shortened = (value: string): string =>
  value.length <= VALUE_LENGTH_MAX ? value : `keccak256 ${toHex(keccak256(new TextEncoder().encode(value)))}`

const forkEntries = (forks: readonly ForkActivation[]): Entries => {
  const keys = forkKeys(forks)
  const entries: Entries = {}
  for (const [index, { fork, at, blob }] of forks.entries()) {
    // Every chain starts with Frontier, which has no key.
    if (fork === 'frontier') continue
    const key = keys[index] as string
    entries[key] = String(at.kind === 'block' ? at.number : at.timestamp)
    if (blob === undefined) continue
    const name = `blobSchedule.${key.replace(/Time$/, '')}`
    entries[`${name}.target`] = String(blob.targetBlobs)
    entries[`${name}.max`] = String(blob.maxBlobs)
    entries[`${name}.baseFeeUpdateFraction`] = String(blob.baseFeeUpdateFraction)
  }
  return entries
}

const addressEntry = (key: string, address: Address | undefined): Entries =>
  address === undefined ? {} : { [key]: toHex(address) }

const configurationEntries = (configuration: ChainConfiguration): Entries => ({
  chainId: String(configuration.chainId),
  ...forkEntries(configuration.forks),
  ...(configuration.daoForkBlock === undefined ? {} : { daoForkBlock: String(configuration.daoForkBlock) }),
  zeroBaseFee: String(configuration.zeroBaseFee),
  fixedBaseFee: String(configuration.fixedBaseFee),
  contractSizeLimit: String(configuration.codeSizeMax),
  evmStackSize: String(configuration.stackItemsMax),
  ...addressEntry('depositContractAddress', configuration.depositContractAddress),
  ...addressEntry('withdrawalRequestContractAddress', configuration.withdrawalRequestContractAddress),
  ...addressEntry('consolidationRequestContractAddress', configuration.consolidationRequestContractAddress),
})

/** True where `isQuorum` decides from which block on a transition selects the validators. */
const changesSelection = ({ selectsNextBlock, transitions, parameters }: QbftConsensus): boolean =>
  selectsNextBlock === true &&
  transitions.some(
    ({ validators, parameters: { validatorSelection } }) =>
      validators !== undefined || validatorSelection.mode !== parameters.validatorSelection.mode,
  )

/** The consensus-critical settings of `config.qbft`; timeouts and limits on messages may differ between nodes. */
const consensusOptions = ({ consensus }: ChainConfiguration): Entries => {
  if (consensus.kind !== 'qbft') {
    const { terminalTotalDifficulty } = consensus
    return terminalTotalDifficulty === undefined
      ? {}
      : { terminalTotalDifficulty: String(terminalTotalDifficulty) }
  }
  const { parameters, startBlock } = consensus
  const { epochLength } = qbftByNumber(consensus, startBlock)
  return {
    'qbft.epochlength': String(epochLength),
    'qbft.startblock': String(startBlock),
    ...(changesSelection(consensus) ? { isQuorum: 'true' } : {}),
    ...(consensus.besuTimesFrom === undefined ? {} : { 'qbft.besutransitiontimes': 'true' }),
    ...(startBlock === 0n ? {} : { 'ibft2.epochlength': String(parameters.epochLength) }),
    ...parameterEntries(sectionAt(consensus, 0n), parameters),
    ...transitionEntries(consensus),
  }
}

const headerEntries = (header: GenesisHeader): Entries => ({
  parentHash: toHex(header.parentHash),
  coinbase: toHex(header.coinbase),
  difficulty: toQuantity(header.difficulty),
  gasLimit: toQuantity(header.gasLimit),
  timestamp: toQuantity(header.timestamp),
  extraData: toHex(header.extraData),
  mixHash: toHex(header.mixHash),
  nonce: toHex(header.nonce),
  ...(header.baseFeePerGas === undefined ? {} : { baseFeePerGas: toQuantity(header.baseFeePerGas) }),
  blobGasUsed: toQuantity(header.blobGasUsed),
  excessBlobGas: toQuantity(header.excessBlobGas),
  parentBeaconBlockRoot: toHex(header.parentBeaconBlockRoot),
})

/** One hash over all accounts, independent of the order of accounts and slots in the file. */
const allocHash = (alloc: readonly GenesisAccount[]): string => {
  const accounts = alloc
    .toSorted((a, b) => compareBytes(a.address, b.address))
    .map(({ address, balance, nonce, code, storage }) => [
      address,
      balance,
      nonce,
      code,
      storage.toSorted(([a], [b]) => compareBytes(a, b)).map(([slot, value]) => [slot, value]),
    ])
  return toHex(keccak256(encodeRlp(accounts)))
}

/**
 * Every entry of a genesis file that all nodes of a network must share, by the file's names and with defaults filled in:
 * `londonBlock`, `qbft.blockperiodseconds`, `transitions.qbft[block 12].blockreward`. `alloc` is represented by a hash. Two
 * files with the same entries define the same chain and rules.
 */
export const consensusEntries = ({ configuration, header, alloc }: Genesis): Readonly<Entries> => {
  const entries: Entries = {
    ...configurationEntries(configuration),
    ...consensusOptions(configuration),
    ...headerEntries(header),
    alloc: allocHash(alloc),
  }
  return Object.fromEntries(Object.entries(entries).map(([name, value]) => [name, shortened(value)]))
}
