import { NO_NODES } from '../../trie/nodes/load.ts'
import { equalBytes } from '../../bytes/bytes.ts'
import { toHex } from '../../bytes/hex.ts'
import { EMPTY_TRIE_ROOT } from '../../crypto/constants.ts'
import type { ChainConfiguration } from '../../genesis/configuration.ts'
import type { Genesis } from '../../genesis/genesis.ts'
import { genesisBlock, genesisChanges } from '../../genesis/genesisBlock.ts'
import { rulesAt } from '../../genesis/forkSchedule.ts'
import { selectionAt } from '../../genesis/qbftSchedule.ts'
import type { BlockCommit, ChainHead, ChainStore } from '../../store/store.ts'
import { updateStateRoot } from '../../trie/state/stateRoot.ts'
import { rawHeaderHash } from '../../block/codec/header.ts'
import { ChainError } from '../error.ts'
import { baseFeePresence, blobFieldsPresence, withdrawalsRootPresence } from '../rules/forkFields.ts'
import { InvalidBlock } from '../rules/invalidBlock.ts'
import { requireChainId } from './requireChainId.ts'
import { qbftExtraDataOf } from '../rules/qbft.ts'

/** The commit of block 0. */
const genesisCommit = (genesis: Genesis): BlockCommit => {
  const { root, changes, nodes } = updateStateRoot(NO_NODES, EMPTY_TRIE_ROOT, genesisChanges(genesis))
  const block = genesisBlock(genesis, root)
  return {
    block,
    hash: rawHeaderHash(block.header),
    totalDifficulty: block.header.difficulty,
    senders: [],
    receipts: [],
    changes,
    nodes,
  }
}

/** Header, hash and total difficulty of block 0, which identify the chain of a genesis file. */
export const genesisHeadOf = (genesis: Genesis): ChainHead => {
  const { block, hash, totalDifficulty } = genesisCommit(genesis)
  return { header: block.header, hash, totalDifficulty }
}

/** @throws ChainError for a setting that this node does not support */
const requireSupported = ({ daoForkBlock }: ChainConfiguration): void => {
  if (daoForkBlock !== undefined && daoForkBlock > 0n)
    throw new ChainError(
      'UNSUPPORTED',
      `config.daoForkBlock is ${daoForkBlock}: Ethereum's transfer of balances at its DAO fork is not supported; remove the key`,
    )
}

/**
 * Forks and transitions are not part of the genesis hash, so that they can be changed for an existing chain. If the head
 * block contradicts them, no further block could be valid.
 * @throws ChainError
 */
const requireFit = (configuration: ChainConfiguration, head: ChainHead): void => {
  const { header } = head
  if (header.number === 0n) return
  const rules = rulesAt(configuration, header.number, header.timestamp, header.difficulty)
  try {
    for (const presence of [baseFeePresence, withdrawalsRootPresence, blobFieldsPresence])
      presence({ header, rules })
    requireMode(configuration, head)
  } catch (cause) {
    if (!(cause instanceof InvalidBlock)) throw cause
    throw new ChainError(
      'CONFIGURATION_CONTRADICTS_CHAIN',
      `the genesis file's forks or transitions contradict the chain in the data path: block ${header.number} should have ${cause.expected} but has ${cause.found}; use the chain's original file, and schedule changes only above its head`,
      { cause },
    )
  }
}

const requireMode = (configuration: ChainConfiguration, { header }: ChainHead): void => {
  const { consensus } = configuration
  // With `besuTransitionTimes` the mode may depend on the time of the parent.
  if (consensus.kind !== 'qbft' || consensus.besuTimesFrom !== undefined) return
  const { mode } = selectionAt(consensus, header.number, 0n)
  const listed = qbftExtraDataOf(header).validators.length
  if ((mode === 'contract') === (listed === 0)) return
  const expected = mode === 'contract' ? 'no validators (contract mode)' : 'validators in its extraData'
  throw new InvalidBlock(header, 'validators', expected, `${listed} validators`)
}

/**
 * Writes the genesis block into an empty store; checks that any other store contains this chain.
 * @throws ChainError `OTHER_CHAIN`, `CONFIGURATION_CONTRADICTS_CHAIN`, `UNSUPPORTED`
 */
export const openGenesis = async (genesis: Genesis, store: ChainStore): Promise<ChainHead> => {
  requireSupported(genesis.configuration)
  const commit = genesisCommit(genesis)
  const head = store.head()
  if (head === undefined) await store.commit(commit)
  else {
    const found = store.genesisHash()
    if (found === undefined || !equalBytes(found, commit.hash))
      throw new ChainError(
        'OTHER_CHAIN',
        `the data path contains the chain of genesis block ${found === undefined ? 'unknown' : toHex(found)}, but the genesis file is of ${toHex(commit.hash)}: use another data path, or the chain's original genesis file`,
      )
    const forkBlock = store.forkBlock?.()
    // The blocks of a forked network follow the rules of that network.
    if (forkBlock === undefined || head.header.number > forkBlock) requireFit(genesis.configuration, head)
    // The record of block 0 can be rebuilt from the genesis file.
    if (forkBlock === undefined && !(await store.hasRecord(0n))) await store.repair(commit)
  }
  // A store that forks another network reads all that it lacks from there.
  if (store.forkBlock?.() === undefined) await requireChainId(genesis.configuration.chainId, store, head)
  return { header: commit.block.header, hash: commit.hash, totalDifficulty: commit.totalDifficulty }
}
