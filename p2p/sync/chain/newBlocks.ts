import type { Block } from '../../../core/block/block.ts'
import { decodeBlockHeader, encodeBlockSteps } from '../../../core/block/codec/block.ts'
import { blockHash } from '../../../core/block/codec/blockHash.ts'
import { DecodeError } from '../../../core/block/codec/error.ts'
import type { Hash } from '../../../core/bytes/bytes.ts'
import { toBareHex } from '../../../core/bytes/hex.ts'
import { InvalidBlock } from '../../../core/chain/rules/invalidBlock.ts'
import { runStepsYielding } from '../../../core/steps.ts'
import { StoreFailed } from '../../../core/store/storeFailed.ts'
import { SENT_BLOCK_BYTES_MAX } from '../../blocks/blockMessages.ts'
import type { Misbehaviour, Network, Peer } from '../../network.ts'
import type { ClockWarning } from '../clockWarning.ts'
import type { SyncContext } from '../context.ts'
import { decodeBlockYielding } from './decodeBlock.ts'
import { ignoreClaim, type PeerHeads, raiseHead } from './peerHeads.ts'

/** Announced blocks that are imported at once. The chain takes one height at a time: most of many would be invalid. */
const IMPORTING_MAX = 8

export type NewBlocksOptions = SyncContext & {
  readonly heads: PeerHeads
  readonly network: () => Network | undefined
  /** Logs a block of a peer that was imported. */
  readonly logImported: (block: Block, hash: Hash) => void
  readonly clockWarning: ClockWarning
  /** Called when a peer may have more blocks than this node. */
  readonly update: () => void
}

export type NewBlocks = {
  /** Announces a block that this node committed. */
  readonly announce: (block: Block) => Promise<void>
  /** Imports the RLP of a block that a peer announced. */
  readonly receive: (peer: Peer, encoded: Uint8Array) => void
  /** Number of announced blocks that are being imported. */
  readonly importing: () => number
}

type State = NewBlocksOptions & { readonly importingHashes: Set<string> }

const nextNumber = ({ chain }: State): bigint => chain.head().header.number + 1n

/** Announces the block in this node's own encoding, never in the bytes of a peer. */
const announce = async ({ chain, network, createYield }: State, block: Block): Promise<void> => {
  const { header } = block
  const encoded = await runStepsYielding(encodeBlockSteps(block), createYield())
  network()?.announceBlock(header.number, blockHash(chain.configuration.consensus, header), encoded)
}

const report = ({ log, network }: State, peer: Peer, what: Misbehaviour, detail: string): void => {
  log.debug('A new block of {peer} is rejected: {detail}', { peer: peer.enode, detail })
  network()?.reportMisbehaviour(peer.address, what, detail)
}

/** Reports a decoding error. @throws every other error */
const reportUndecodable = (state: State, peer: Peer, what: Misbehaviour, error: unknown): void => {
  if (!(error instanceof DecodeError)) throw error
  report(state, peer, what, `a block that cannot be decoded: ${error.message}`)
}

const onImportError = (state: State, peer: Peer, { header }: Block, error: unknown): void => {
  // The failure of a store is logged where it is noticed.
  if (error instanceof StoreFailed) return
  if (!(error instanceof InvalidBlock))
    state.log.error('Block {number} could not be imported: {error}', { number: header.number, error })
  else if (error.rule === 'future-timestamp') state.clockWarning(header)
  else if (header.number === nextNumber(state)) {
    ignoreClaim(state.heads, toBareHex(peer.address), state.nowMs())
    report(state, peer, 'invalid-block', error.message)
  }
}

const importNext = async (state: State, peer: Peer, encoded: Uint8Array): Promise<void> => {
  const { chain, nowMs, createYield } = state
  let block: Block
  try {
    block = await decodeBlockYielding(encoded, createYield)
  } catch (error) {
    // The header was decodable: an honest node does not forward such a body.
    return reportUndecodable(state, peer, 'invalid-block', error)
  }
  try {
    if ((await chain.importBlock(block, { nowMs: nowMs() })) === 'known') return
    state.logImported(block, chain.head().hash)
    await announce(state, block)
  } catch (error) {
    onImportError(state, peer, block, error)
  }
}

const receive = (state: State, peer: Peer, encoded: Uint8Array): void => {
  const { chain, heads, importingHashes, update } = state
  if (encoded.length > SENT_BLOCK_BYTES_MAX)
    return report(state, peer, 'oversized-message', `a block of ${encoded.length} bytes`)
  if (importingHashes.size >= IMPORTING_MAX) return
  try {
    const header = decodeBlockHeader(encoded)
    const { number } = header
    const hash = toBareHex(blockHash(chain.configuration.consensus, header))
    raiseHead(heads, peer.address, number)
    const next = nextNumber(state)
    // The blocks before it may be among those being imported.
    if (number > next + BigInt(importingHashes.size)) return update()
    if (number < next || importingHashes.has(hash)) return
    importingHashes.add(hash)
    void importNext(state, peer, encoded).finally(() => {
      importingHashes.delete(hash)
      update()
    })
  } catch (error) {
    reportUndecodable(state, peer, 'invalid-message', error)
  }
}

/** Handles announced blocks: imports the next one at once, and notes which peers have later ones. */
export const createNewBlocks = (options: NewBlocksOptions): NewBlocks => {
  const state: State = { ...options, importingHashes: new Set() }
  return {
    announce: block => announce(state, block),
    receive: (peer, encoded) => receive(state, peer, encoded),
    importing: () => state.importingHashes.size,
  }
}
