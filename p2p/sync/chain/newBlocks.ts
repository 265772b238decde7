import type { Hash } from '../../../core/bytes/bytes.ts'
import { toBareHex } from '../../../core/bytes/hex.ts'
import type { Block } from '../../../core/block/block.ts'
import type { Chain } from '../../../core/chain/chain.ts'
import { decodeBlockHeader, encodeBlockSteps } from '../../../core/block/codec/block.ts'
import { blockHash } from '../../../core/block/codec/blockHash.ts'
import { DecodeError } from '../../../core/block/codec/error.ts'
import { InvalidBlock } from '../../../core/chain/rules/invalidBlock.ts'
import { StoreFailed } from '../../../core/store/storeFailed.ts'
import { runStepsYielding } from '../../../core/steps.ts'
import type { Misbehaviour, Network, Peer } from '../../network.ts'
import type { Log } from '../../log.ts'
import type { CreateYield } from '../../yieldTurn.ts'
import type { ClockWarning } from '../clockWarning.ts'
import { decodeBlockYielding } from './decodeBlock.ts'
import { BLOCK_BYTES_MAX } from './rangeRequests.ts'
import type { PeerHeads } from './peerHeads.ts'

/** Announced blocks that are being imported; the chain takes one height at a time, so more are mostly lies. */
const IMPORTING_MAX = 8

export type NewBlocksOptions = {
  readonly chain: Chain
  readonly heads: PeerHeads
  readonly network: () => Network | undefined
  readonly log: Log
  readonly nowMs: () => number
  readonly createYield: CreateYield
  /** Logs a block of a peer that was imported. */
  readonly logImported: (block: Block, hash: Hash) => void
  readonly clockWarning: ClockWarning
  /** A peer is known to have more than this node. */
  readonly consider: () => void
}

export type NewBlocks = {
  /** Tells a block that was committed here. */
  readonly announce: (block: Block) => Promise<void>
  /** A peer tells of one. */
  readonly receive: (peer: Peer, encoded: Uint8Array) => void
  /** Blocks that were told of and are being imported. */
  readonly importing: () => number
}

/** Blocks as they are made: the next one is imported at once, of later ones it is noted who has them. */
export const createNewBlocks = (options: NewBlocksOptions): NewBlocks => {
  const { chain, heads, network, log, nowMs, createYield, logImported, clockWarning, consider } = options
  const { consensus } = chain.configuration
  const importing = new Set<string>()
  const nextNumber = (): bigint => chain.head().header.number + 1n

  const announceEncoded = (block: Block, encoded: Uint8Array): void =>
    network()?.announceBlock(block.header.number, blockHash(consensus, block.header), encoded)

  const blame = ({ address, enode }: Peer, what: Misbehaviour, detail: string): void => {
    log.debug('A new block of {peer} is not used: {detail}', { peer: enode, detail })
    network()?.reportMisbehaviour(address, what, detail)
  }

  /** @throws what is no fault of the bytes */
  const unreadable = (peer: Peer, what: Misbehaviour, error: unknown): void => {
    if (!(error instanceof DecodeError)) throw error
    blame(peer, what, `a block that cannot be read: ${error.message}`)
  }

  const importNext = async (peer: Peer, encoded: Uint8Array): Promise<void> => {
    let block: Block
    try {
      block = await decodeBlockYielding(encoded, createYield)
    } catch (error) {
      // Its header can: no node that checks blocks passes on such a body.
      return unreadable(peer, 'invalid-block', error)
    }
    try {
      if ((await chain.importBlock(block, { nowMs: nowMs() })) === 'known') return
      logImported(block, chain.head().hash)
      announceEncoded(block, encoded)
    } catch (error) {
      // Who watches the store has logged it.
      if (error instanceof StoreFailed) return
      if (!(error instanceof InvalidBlock))
        log.error('Block {number} could not be imported: {error}', { number: block.header.number, error })
      else if (error.rule === 'future-timestamp') clockWarning(block.header)
      else if (block.header.number === nextNumber()) {
        heads.failed(toBareHex(peer.address), nowMs())
        blame(peer, 'invalid-block', error.message)
      }
    }
  }

  const receive = (peer: Peer, encoded: Uint8Array): void => {
    if (encoded.length > BLOCK_BYTES_MAX)
      return blame(peer, 'oversized-message', `a block of ${encoded.length} bytes`)
    if (importing.size >= IMPORTING_MAX) return
    try {
      const header = decodeBlockHeader(encoded)
      const { number } = header
      const key = toBareHex(blockHash(consensus, header))
      heads.heard(peer.address, number)
      const next = nextNumber()
      // The one before it may be on its way into the chain.
      if (number > next + BigInt(importing.size)) return consider()
      if (number < next || importing.has(key)) return
      importing.add(key)
      void importNext(peer, encoded).finally(() => {
        importing.delete(key)
        consider()
      })
    } catch (error) {
      unreadable(peer, 'invalid-message', error)
    }
  }

  return {
    announce: async block => {
      announceEncoded(block, await runStepsYielding(encodeBlockSteps(block), createYield()))
    },
    receive,
    importing: () => importing.size,
  }
}
