import { joinRlpList } from '../../core/rlp/list.ts'
import { type RawItem, rawItems } from '../../core/rlp/rawItem.ts'
import { encodeRlp, RlpError } from '../../core/rlp/rlp.ts'
import { decodeDisconnect, encodeDisconnect } from '../../p2p/devp2p/base/disconnect.ts'
import { decodeHello, encodeHello } from '../../p2p/devp2p/base/hello.ts'
import { decodeMessage, encodeMessage, PACKET_TYPES } from '../../p2p/devp2p/discovery/messages.ts'
import { decodePacket, encodePacket } from '../../p2p/devp2p/discovery/packet.ts'
import { DiscoveryError } from '../../p2p/devp2p/discovery/error.ts'
import { decodeBlockRange, encodeBlockRange } from '../../p2p/devp2p/eth/blockRange.ts'
import {
  decodeAnnouncements,
  decodeNewBlock,
  encodeAnnouncements,
  encodeNewBlock,
  joinBlock,
  readHeaderFields,
  splitBlock,
} from '../../p2p/devp2p/eth/blocks.ts'
import { receiptsWithoutBloom } from '../../p2p/devp2p/eth/receipts.ts'
import {
  decodeHashes,
  decodeHeadersQuery,
  encodeHashes,
  encodeHeadersQuery,
  encodeWithId,
  openWithId,
} from '../../p2p/devp2p/eth/requests.ts'
import { decodeStatus, encodeStatus } from '../../p2p/devp2p/eth/status.ts'
import {
  decodeTransactionAnnouncements,
  decodeTransactions,
  encodeTransactionAnnouncements,
  encodeTransactions,
} from '../../p2p/devp2p/eth/transactions.ts'
import { decodeNeighbours, encodeNeighbours } from '../../p2p/devp2p/node/neighbours.ts'
import { encodeReceipt } from '../../core/block/codec/receipt.ts'
import { VALIDATORS } from '../core/chain/support/keys.ts'
import type { Codec, Exception } from './codec.ts'
import { ADDRESS, BLOCK_BYTES, HASH, RECEIPTS, TRANSACTIONS } from './samples.ts'

const [{ privateKey }] = VALIDATORS
const NODE_KEY = new Uint8Array(64).fill(7)
const FORK = { hash: HASH.subarray(0, 4), next: 300n }
const FIRST_BLOCK = BLOCK_BYTES[0] as Uint8Array
const HASHES_MAX = 4

/** A message whose fields are read, and of which nothing else is kept or sent on. */
const fields = (
  name: string,
  files: readonly string[],
  samples: readonly Uint8Array[],
  reencode: (bytes: Uint8Array) => Uint8Array,
  exception?: Exception,
): Codec => ({
  name,
  files: files.map(file => `p2p/devp2p/${file}.ts`),
  samples,
  reencode,
  errors: [RlpError],
  ...(exception === undefined ? {} : { exception }),
})

const FORWARD_COMPATIBLE: Exception = {
  reason:
    'EIP-8 demands that further items, other lengths and bytes after the end are ignored; the size of a packet bounds them, and only its fields are kept',
  allows: () => true,
}

/** Both clients answer the first hashes of a longer request. */
const FIRST_ONES: Exception = {
  reason: 'a longer list counts as its first items, as in both clients; the size of the message bounds it',
  allows: (bytes, written) => bytes.length > written.length,
}

const withId = (bytes: Uint8Array, encode: (id: bigint, content: RawItem) => Uint8Array): Uint8Array => {
  const { id, content } = openWithId(bytes)
  return encode(id, content)
}

const ENDPOINT = { host: '127.0.0.1', udp: 30303, tcp: 300 }
const EXPIRY = 1_700_000_000
const DISCOVERY = [
  encodeMessage({ kind: 'ping', from: ENDPOINT, to: ENDPOINT, expiry: EXPIRY, recordSequence: 1n }),
  encodeMessage({ kind: 'pong', to: ENDPOINT, pingHash: HASH, expiry: EXPIRY, recordSequence: 1n }),
  encodeMessage({ kind: 'findNode', target: NODE_KEY, expiry: EXPIRY }),
  encodeMessage({
    kind: 'neighbors',
    nodes: [{ endpoint: ENDPOINT, publicKey: NODE_KEY }],
    expiry: EXPIRY,
  }),
  encodeMessage({ kind: 'enrRequest', expiry: EXPIRY }),
  { type: PACKET_TYPES.enrResponse, content: encodeRlp([HASH, [HASH, 1]]) },
]

export const DEVP2P_CODECS: readonly Codec[] = [
  ...([66, 68] as const).map(version =>
    fields(
      `status of eth/${version}`,
      ['eth/status', 'node/statusExchange', 'node/establish'],
      [
        encodeStatus({
          version,
          networkId: 1337n,
          genesisHash: HASH,
          forkId: FORK,
          head: { hash: HASH, totalDifficulty: 300n },
        }),
      ],
      bytes => encodeStatus(decodeStatus(version, bytes)),
    ),
  ),
  fields(
    'status of eth/69',
    ['eth/status'],
    [
      encodeStatus({
        version: 69,
        networkId: 1337n,
        genesisHash: HASH,
        forkId: FORK,
        head: { hash: HASH, range: { earliest: 0n, latest: 300n } },
      }),
    ],
    bytes => encodeStatus(decodeStatus(69, bytes)),
  ),
  fields(
    'range of blocks',
    ['eth/blockRange'],
    [encodeBlockRange({ earliest: 0n, latest: 300n, latestHash: HASH })],
    bytes => encodeBlockRange(decodeBlockRange(bytes)),
  ),
  fields(
    'request for headers',
    ['eth/requests', 'eth/pendingRequests', 'eth/serving'],
    [
      encodeHeadersQuery(300n, { start: { hash: HASH }, count: 5, skip: 0n, reverse: true }),
      encodeHeadersQuery(0n, { start: { number: 300n }, count: 500, skip: 1n, reverse: false }),
    ],
    bytes => withId(bytes, (id, content) => encodeHeadersQuery(id, decodeHeadersQuery(content))),
  ),
  fields(
    'request by hashes',
    ['eth/requests', 'node/transactionFetcher'],
    [encodeHashes(300n, [HASH, HASH])],
    bytes => withId(bytes, (id, content) => encodeHashes(id, decodeHashes(content, HASHES_MAX))),
    FIRST_ONES,
  ),
  fields('answer', ['eth/requests', 'eth/blockRequests'], [encodeWithId(300n, [encodeRlp(HASH)])], bytes =>
    withId(bytes, (id, content) => encodeWithId(id, rawItems(content, 'it', 0, 9))),
  ),
  fields('new block', ['eth/blocks', 'node/blockPropagation'], [encodeNewBlock(FIRST_BLOCK, 300n)], bytes => {
    const { block, totalDifficulty } = decodeNewBlock(bytes)
    return encodeNewBlock(block, totalDifficulty)
  }),
  fields('header and body of a block', ['eth/blocks'], [FIRST_BLOCK], bytes => {
    const { header, body } = splitBlock(bytes)
    readHeaderFields(header)
    return joinBlock(header, body)
  }),
  fields(
    'announcements of blocks',
    ['eth/blocks'],
    [encodeAnnouncements([{ hash: HASH, number: 300n }])],
    bytes => encodeAnnouncements(decodeAnnouncements(bytes)),
  ),
  fields(
    'transactions',
    ['eth/transactions', 'node/transactionPropagation'],
    [encodeTransactions(TRANSACTIONS.map(({ encoded }) => encoded))],
    bytes => encodeTransactions(decodeTransactions(bytes)),
  ),
  ...([66, 68] as const).map(version =>
    fields(
      `announcements of transactions in eth/${version}`,
      ['eth/transactions'],
      [encodeTransactionAnnouncements(version, [{ hash: HASH, type: 2, size: 300 }])],
      bytes => encodeTransactionAnnouncements(version, decodeTransactionAnnouncements(version, bytes)),
    ),
  ),
  fields(
    'receipts without blooms, which are only written',
    ['eth/receipts'],
    [joinRlpList(RECEIPTS.map(receipt => encodeRlp(encodeReceipt({ ...receipt, type: 2 }))))],
    bytes => {
      receiptsWithoutBloom(bytes)
      return bytes
    },
  ),
  fields('neighbours', ['node/neighbours'], [encodeNeighbours([ADDRESS])], bytes =>
    encodeNeighbours(decodeNeighbours(bytes)),
  ),
  fields(
    'hello',
    ['base/hello'],
    [
      encodeHello({
        version: 5,
        client: 'Quorate',
        capabilities: [{ name: 'eth', version: 68 }],
        port: 300,
        publicKey: NODE_KEY,
        instance: '0011223344556677',
      }),
    ],
    bytes => encodeHello(decodeHello(bytes)),
    FORWARD_COMPATIBLE,
  ),
  fields(
    'disconnect',
    ['base/disconnect'],
    [encodeDisconnect('tooManyPeers')],
    bytes => {
      decodeDisconnect(bytes)
      return bytes
    },
    {
      reason: 'clients do not agree on its form, and the connection ends in any case',
      allows: () => true,
    },
  ),
  ...DISCOVERY.map(({ type, content }) =>
    fields(
      `packet of type ${type} of discovery`,
      ['discovery/messages', 'discovery/endpoint'],
      [content],
      bytes => {
        const message = decodeMessage(type, bytes)
        if (message?.kind === 'enrResponse') return encodeRlp([message.requestHash, [HASH, 1]])
        // Any time after 2^53 seconds is the same.
        const isWritable = message !== undefined && Number.isSafeInteger(message.expiry)
        return isWritable ? encodeMessage(message).content : bytes
      },
      FORWARD_COMPATIBLE,
    ),
  ),
  {
    ...fields(
      'envelope of discovery',
      ['discovery/packet'],
      [encodePacket(privateKey, PACKET_TYPES.enrRequest, encodeRlp([EXPIRY])).bytes],
      bytes => {
        const { type, content } = decodePacket(bytes)
        return encodePacket(privateKey, type, content).bytes
      },
      FORWARD_COMPATIBLE,
    ),
    errors: [RlpError, DiscoveryError],
  },
]
