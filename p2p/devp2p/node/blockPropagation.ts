import { errorText } from '../../../core/text/errorText.ts'
import type { Hash } from '../../../core/bytes/bytes.ts'
import { toBareHex } from '../../../core/bytes/hex.ts'
import { createWantedBlocks } from '../../blocks/wantedBlocks.ts'
import { createTokenBucket, type TokenBucket } from '../../transport/tokenBucket.ts'
import { decodeBlockRange, encodeBlockRange } from '../eth/blockRange.ts'
import { headerHash, requestBlock } from '../eth/blockRequests.ts'
import {
  decodeAnnouncements,
  decodeNewBlock,
  encodeAnnouncements,
  encodeNewBlock,
  readHeaderFields,
  splitBlock,
} from '../eth/blocks.ts'
import { ETH } from '../ethCodes.ts'
import { type EthPeer, sendEth } from '../eth/ethPeer.ts'
import { historyStartOf } from '../eth/status.ts'
import { nameOf } from '../session/session.ts'
import type { Devp2pNode } from './devp2pNode.ts'
import { ownRange, totalDifficultyAt } from './statusExchange.ts'

/** A node that sent consensus messages within this time counts as taking part in consensus. */
const TAKES_PART_MS = 30_000
/** Announced blocks that are this far ahead are left to the sync. */
const AHEAD_MAX = 8n
/**
 * New blocks and announcements of one peer: ten blocks a second, each up to once from every validator that it is connected
 * to.
 */
const MESSAGES_PER_SECOND = 100
/**
 * The block range is announced after this number of blocks, or this long after the last announcement (EIP-7642: at most
 * once in 32 blocks).
 */
const RANGE_BLOCKS = 32n
const RANGE_INTERVAL_MS = 120_000

/**
 * New blocks: announced by their hash to every peer, and sent in full to some of those that do not take part in consensus.
 */
export type BlockPropagation = {
  announce(number: bigint, hash: Hash, block: Uint8Array): void
  /** @throws RlpError, DecodeError */
  onNewBlock(peer: EthPeer, payload: Uint8Array): void
  /** @throws RlpError */
  onAnnouncements(peer: EthPeer, payload: Uint8Array): void
  /** Announces the block range of this node to peers of eth/69, at intervals. */
  sendRange(): void
  /** @throws RlpError */
  onRange(peer: EthPeer, payload: Uint8Array): void
  /** Blocks of this peer were invalid: requests them from others. */
  distrust(id: string): void
  disconnected(id: string): void
  stop(): void
}

/** Records that the peer has a block: up to eth/68 this is the only sign of its head. */
const claimHead = ({ handlers }: Devp2pNode, peer: EthPeer, number: bigint, hash: Hash): void => {
  if (number <= peer.peer.status.headNumber) return
  peer.peer = { ...peer.peer, status: { ...peer.peer.status, headNumber: number, headHash: hash } }
  handlers.onStatus(peer.peer)
}

/** Records from which block on the peer has blocks. */
const claimStart = ({ handlers }: Devp2pNode, peer: EthPeer, earliest: bigint): void => {
  const historyStart = historyStartOf(earliest)
  if (historyStart === peer.peer.status.historyStart) return
  peer.peer = { ...peer.peer, status: { ...peer.peer.status, historyStart } }
  handlers.onStatus(peer.peer)
}

const announceTo = (node: Devp2pNode, number: bigint, hash: Hash, block: Uint8Array): void => {
  const announcement = encodeAnnouncements([{ hash, number }])
  const recipients = [...node.table.all()].filter(({ knownBlocks }) => knownBlocks.add(hash))
  const others = recipients.filter(({ session }) => node.handlers.roleOf(session.address) !== 'validator')
  const inFull = new Set(others.slice(0, Math.ceil(Math.sqrt(others.length))))
  const newBlock = inFull.size === 0 ? undefined : encodeNewBlock(block, totalDifficultyAt(node, number))
  for (const peer of recipients)
    if (newBlock !== undefined && inFull.has(peer)) sendEth(peer, ETH.newBlock, newBlock)
    // Besu then does not send this block to this node, and knows its height.
    else sendEth(peer, ETH.newBlockHashes, announcement)
}

/** The block range that was last announced. */
type AnnouncedRange = { number: bigint; atMs: number }

const sendRange = ({ handlers, table, options }: Devp2pNode, announced: AnnouncedRange): void => {
  const status = handlers.status()
  const { headNumber, headHash } = status
  const isFar = headNumber - announced.number >= RANGE_BLOCKS
  const isOld = headNumber > announced.number && options.nowMs() - announced.atMs >= RANGE_INTERVAL_MS
  if (!isFar && !isOld) return
  Object.assign(announced, { number: headNumber, atMs: options.nowMs() })
  const range = encodeBlockRange({ ...ownRange(status), latestHash: headHash })
  for (const peer of table.all()) if (peer.version === 69) sendEth(peer, ETH.blockRangeUpdate, range)
}

export const createBlockPropagation = (node: Devp2pNode): BlockPropagation => {
  const { options, handlers, log, table } = node
  const { nowMs, chain } = options
  const rates = new WeakMap<EthPeer, TokenBucket>()
  const announced: AnnouncedRange = { number: 0n, atMs: nowMs() }

  const fetch = async (peer: EthPeer, hash: Hash): Promise<void> => {
    try {
      const block = await requestBlock(peer, chain.consensus, hash)
      if (block !== undefined && wanted.received(peer.session.id, hash)) handlers.onNewBlock(peer.peer, block)
    } catch (error) {
      log.debug('A block of {peer} could not be fetched: {reason}', {
        peer: nameOf(peer.session),
        reason: errorText(error),
      })
    }
  }
  const wanted = createWantedBlocks((id, hash) => {
    const peer = table.get(id)
    if (peer !== undefined) void fetch(peer, hash)
    return peer !== undefined
  })

  const isTooMany = (peer: EthPeer): boolean => {
    const known = rates.get(peer) ?? createTokenBucket(MESSAGES_PER_SECOND, 2 * MESSAGES_PER_SECOND, nowMs)
    rates.set(peer, known)
    if (known.take(1) === 0) return false
    peer.session.events.onMisbehaviour(peer.session, 'flooding', 'more announced blocks than allowed')
    return true
  }

  return {
    announce: (number, hash, block) => {
      wanted.forget(toBareHex(hash))
      announceTo(node, number, hash, block)
    },
    onNewBlock: (peer, payload) => {
      if (isTooMany(peer)) return
      const { block } = decodeNewBlock(payload)
      const { header } = splitBlock(block)
      const { number } = readHeaderFields(header)
      const hash = headerHash(chain.consensus, header)
      peer.knownBlocks.add(hash)
      claimHead(node, peer, number, hash)
      if (number > handlers.status().headNumber) handlers.onNewBlock(peer.peer, block)
    },
    onAnnouncements: (peer, payload) => {
      if (isTooMany(peer)) return
      const head = handlers.status().headNumber
      const participates = nowMs() - node.parts.consensus.sentAtMs < TAKES_PART_MS
      for (const { hash, number } of decodeAnnouncements(payload)) {
        peer.knownBlocks.add(hash)
        claimHead(node, peer, number, hash)
        if (number > head && number <= head + AHEAD_MAX) wanted.announced(peer.session.id, hash, participates)
      }
    },
    sendRange: () => sendRange(node, announced),
    onRange: (peer, payload) => {
      if (isTooMany(peer)) return
      const { earliest, latest, latestHash } = decodeBlockRange(payload)
      peer.knownBlocks.add(latestHash)
      claimStart(node, peer, earliest)
      claimHead(node, peer, latest, latestHash)
    },
    distrust: id => wanted.distrust(id),
    disconnected: id => wanted.disconnected(id),
    stop: () => wanted.stop(),
  }
}
