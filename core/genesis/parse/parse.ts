import { CODE_SIZE_MAX, EVM_STACK_ITEMS, SHARED_STACK_ITEMS } from '../evmLimits.ts'
import { type Address, EMPTY_BYTES, ZERO_ADDRESS, ZERO_HASH } from '../../bytes/bytes.ts'
import { fromHex } from '../../bytes/hex.ts'
import { bigintToFixedBytes } from '../../bytes/integer.ts'
import { decodeGenesisExtraData, type QbftExtraData } from '../../block/codec/extraData.ts'
import { DecodeError } from '../../block/codec/error.ts'
import { parseAlloc } from './alloc.ts'
import { besuTransitionWarnings } from './besuTransitions.ts'
import type { ChainConfiguration, Consensus, ForkActivation } from '../configuration.ts'
import { GenesisError } from '../error.ts'
import { parseForks } from './forks.ts'
import type { Genesis, GenesisHeader } from '../genesis.ts'
import { parseJson } from './json.ts'
import { messagingWarnings } from './messaging.ts'
import {
  goQuorumForkBlocks,
  goQuorumWarnings,
  refuseGoQuorumForms,
  refuseOperatorInput,
} from './otherForms.ts'
import { checkPerTxGasLimits, parseQbft } from './qbft.ts'
import {
  address,
  boolean,
  bytesOf,
  decimal,
  type Entry,
  entryOf,
  fixedBytes,
  hexNumberOf,
  int,
  long,
  quantityOf,
  read,
  type Section,
  sectionOf,
  string,
  stringOf,
  subsection,
} from './section.ts'
import { transitionWarnings } from './transitions.ts'
import { misspelledKeys } from './unknownKeys.ts'

/** Mainnet's contracts of EIP-6110, EIP-7002 and EIP-7251, used by chains that are not QBFT. */
const DEPOSITS: Address = fromHex('00000000219ab540356cbb839cbe05303d7705fa')
const WITHDRAWALS: Address = fromHex('00000961ef480eb55e80d19ad83579a64c007002')
const CONSOLIDATIONS: Address = fromHex('0000bbddc7ce488642fb579f8b00f3a590007251')

const refuse = (config: Section, key: string, problem: string): void => {
  const entry = entryOf(config, key)
  if (entry !== undefined) throw new GenesisError('UNSUPPORTED', entry.path, problem)
}

const exactKey = (config: Section, key: string): Entry | undefined => {
  const entry = entryOf(config, key)
  return entry?.path === `${config.path}.${key}` ? entry : undefined
}

const parseConsensus = (config: Section, forks: readonly ForkActivation[]): Consensus => {
  const qbft = subsection(config, 'qbft')
  const ethash = entryOf(config, 'ethash')
  if (qbft !== undefined) {
    refuse(
      config,
      'ibft',
      'a chain that began with IBFT 1.0 is not supported: its blocks are sealed otherwise than those of IBFT 2.0 and QBFT',
    )
    // Besu would run a proof-of-work chain, which is never intended with a qbft section.
    const other = ethash ?? exactKey(config, 'mergeNetsplitBlock')
    if (other !== undefined)
      throw new GenesisError(
        'CONTRADICTION',
        other.path,
        'defines a proof-of-work chain, and config.qbft a QBFT chain: remove one of them',
      )
    return parseQbft(config, qbft, forks)
  }
  const terminalTotalDifficulty = decimal(config, 'terminalTotalDifficulty')
  // A geth file names no consensus; Besu recognises it by the spelling of this key.
  if (ethash !== undefined || exactKey(config, 'mergeNetsplitBlock') !== undefined)
    return { kind: 'ethash', terminalTotalDifficulty }
  refuse(
    config,
    'ibft2',
    'IBFT 2.0 alone is not supported: add a qbft section whose startBlock is the first block of QBFT, the same on all nodes; blocks before it are imported from the nodes that run IBFT 2.0',
  )
  refuse(config, 'ibft', 'IBFT 1.0 is no longer supported: use qbft')
  refuse(config, 'clique', 'Clique is not supported: use qbft')
  throw new GenesisError(
    'INVALID_VALUE',
    config.path,
    'Unknown consensus mechanism defined: add a qbft section',
  )
}

const positiveOr = (config: Section, key: string, missing: number): number => {
  const value = int(config, key) ?? missing
  if (value === 0)
    throw new GenesisError('INVALID_VALUE', `${config.path}.${key}`, 'must be greater than zero')
  return value
}

const stackItems = (config: Section): number => {
  const items = positiveOr(config, 'evmStackSize', EVM_STACK_ITEMS)
  if (items > SHARED_STACK_ITEMS)
    throw new GenesisError(
      'UNSUPPORTED',
      `${config.path}.evmStackSize`,
      `a stack of ${items} items is not supported: ${SHARED_STACK_ITEMS} at most, 1024 by default`,
    )
  return items
}

const parseConfiguration = (config: Section): ChainConfiguration => {
  const curve = string(config, 'ecCurve') ?? 'secp256k1'
  if (curve !== 'secp256k1')
    throw new GenesisError(
      'UNSUPPORTED',
      `${config.path}.ecCurve`,
      `${curve} is not supported: use secp256k1`,
    )
  const zeroBaseFee = boolean(config, 'zeroBaseFee') ?? false
  const fixedBaseFee = boolean(config, 'fixedBaseFee') ?? false
  if (zeroBaseFee && fixedBaseFee)
    throw new GenesisError(
      'CONTRADICTION',
      config.path,
      'zeroBaseFee and fixedBaseFee exclude each other: keep one',
    )
  const forks = parseForks(config)
  const consensus = parseConsensus(config, forks)
  // On a QBFT chain the system contracts are called only if the file names them.
  const contract = (key: string, mainnet: Address): Address | undefined =>
    address(config, key) ?? (consensus.kind === 'ethash' ? mainnet : undefined)
  const daoForkBlock = long(config, 'daoForkBlock')
  return {
    chainId: decimal(config, 'chainId') ?? 1n,
    consensus,
    forks,
    zeroBaseFee,
    fixedBaseFee,
    codeSizeMax: positiveOr(config, 'contractSizeLimit', CODE_SIZE_MAX),
    stackItemsMax: stackItems(config),
    daoForkBlock: daoForkBlock === 0n ? undefined : daoForkBlock,
    goQuorumForkBlocks: goQuorumForkBlocks(config),
    depositContractAddress: contract('depositContractAddress', DEPOSITS),
    withdrawalRequestContractAddress: contract('withdrawalRequestContractAddress', WITHDRAWALS),
    consolidationRequestContractAddress: contract('consolidationRequestContractAddress', CONSOLIDATIONS),
  }
}

const required = (root: Section, ...keys: readonly string[]): Entry => {
  for (const key of keys) {
    const entry = entryOf(root, key)
    if (entry !== undefined) return entry
  }
  throw new GenesisError(
    'INVALID_VALUE',
    '',
    `Invalid genesis block configuration, missing value for one of '[${keys.join(', ')}]'`,
  )
}

const fixed =
  (length: number) =>
  (entry: Entry): Uint8Array =>
    fixedBytes(entry.path, stringOf(entry), length)

const parseHeader = (root: Section): GenesisHeader => ({
  parentHash: read(root, 'parentHash', fixed(32), ZERO_HASH),
  coinbase: read(root, 'coinbase', fixed(20), ZERO_ADDRESS),
  difficulty: hexNumberOf(required(root, 'difficulty'), 256),
  gasLimit: quantityOf(required(root, 'gasLimit', 'gasTarget'), 63),
  timestamp: read(root, 'timestamp', entry => quantityOf(entry, 63), 0n),
  extraData: read(root, 'extraData', bytesOf, EMPTY_BYTES),
  mixHash: read(root, 'mixHash', fixed(32), ZERO_HASH),
  nonce: bigintToFixedBytes(
    read(root, 'nonce', entry => hexNumberOf(entry, 64), 0n),
    8,
  ),
  baseFeePerGas: read(
    root,
    'baseFeePerGas',
    entry => quantityOf({ path: entry.path, value: stringOf(entry) }, 63),
    undefined,
  ),
  blobGasUsed: read(root, 'blobGasUsed', entry => hexNumberOf(entry, 64), 0n),
  excessBlobGas: read(root, 'excessBlobGas', entry => hexNumberOf(entry, 64), 0n),
  parentBeaconBlockRoot: read(root, 'parentBeaconBlockRoot', fixed(32), ZERO_HASH),
})

const invalidExtraData = (problem: string): GenesisError =>
  new GenesisError(
    'INVALID_VALUE',
    'extraData',
    `Invalid extraData in genesis block configuration: ${problem}`,
  )

const genesisExtraData = (extraData: Uint8Array): QbftExtraData => {
  try {
    return decodeGenesisExtraData(extraData)
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    throw invalidExtraData(error.message)
  }
}

/** The number of validators in the extraData. @throws GenesisError if it is the other mechanism's */
const genesisValidators = (extraData: Uint8Array, startBlock: bigint): number => {
  const { encoding, validators } = genesisExtraData(extraData)
  if (startBlock === 0n && encoding === 'ibft2')
    throw invalidExtraData('it is encoded for IBFT 2.0: encode it with --type=QBFT_EXTRA_DATA')
  if (startBlock > 0n && encoding !== 'ibft2')
    throw invalidExtraData('it is encoded for QBFT, but the chain begins with IBFT 2.0')
  return validators.length
}

const warningsOf = (config: Section, consensus: Consensus, header: GenesisHeader): readonly string[] => {
  if (consensus.kind !== 'qbft') return []
  const validators = genesisValidators(header.extraData, consensus.startBlock)
  const byContract = consensus.parameters.validatorSelection.mode === 'contract'
  const qbft = subsection(config, 'qbft')
  const warnings = [
    ...transitionWarnings(config, consensus.transitions),
    ...goQuorumWarnings(config),
    ...(qbft === undefined ? [] : messagingWarnings(qbft)),
  ]
  if (byContract && validators > 0)
    warnings.push(
      'extraData: its validators have no effect, config.qbft.validatorContractAddress selects them',
    )
  if (!byContract && validators === 0)
    warnings.push('Genesis block contains no signers - chain will not progress.')
  if (entryOf(config, 'terminalTotalDifficulty') !== undefined)
    warnings.push('config.terminalTotalDifficulty: has no effect on a QBFT chain')
  return warnings
}

/**
 * Parses a genesis file in Besu's (or geth's) form from its JSON value. Keys are case-insensitive. Unknown ones are
 * ignored, with a warning if they resemble a known key. Types are as strict as Besu's. Integers may be number or bigint.
 * @throws GenesisError
 */
export const parseGenesis = (json: unknown): Genesis => {
  const root = sectionOf({ path: '', value: json })
  refuseOperatorInput(root)
  const config = subsection(root, 'config')
  if (config === undefined)
    throw new GenesisError('INVALID_VALUE', '', 'Unknown consensus mechanism defined: config is missing')
  refuseGoQuorumForms(config)
  const configuration = parseConfiguration(config)
  const header = parseHeader(root)
  const { consensus } = configuration
  if (consensus.kind === 'qbft') checkPerTxGasLimits(consensus, header.gasLimit)
  const alloc = parseAlloc(root)
  const warnings = [
    ...warningsOf(config, consensus, header),
    ...besuTransitionWarnings(configuration),
    ...misspelledKeys(root),
  ]
  return { configuration, header, alloc, warnings }
}

/** Parses the text of a genesis file. @throws GenesisError, with line and column if it is not JSON */
export const parseGenesisText = (text: string): Genesis => parseGenesis(parseJson(text))
