import { type GossipsubOpts, type Message, StrictNoSign } from '@libp2p/gossipsub'
import { keccak256 } from '../../core/crypto/crypto.ts'
import { POOL_TRANSACTION_BYTES_MAX } from '../../core/txpool/limits.ts'

/**
 * Largest gossiped message: the largest transaction that a pool admits, and its envelope. Well below the 4 MiB from which
 * gossipsub drops outbound messages.
 */
export const GOSSIP_BYTES_MAX = POOL_TRANSACTION_BYTES_MAX + 64 * 1024

/** Bytes queued for one slow peer. Further gossip to it is dropped; it receives the messages from other peers. */
const OUTBOUND_BUFFER_BYTES = 8 * 1024 * 1024

/** Prefix of a keccak-256 hash, long enough to be unique. */
const MESSAGE_ID_BYTES = 20

/** Topic names of one peer: a chain has one topic, others are ignored. */
const SUBSCRIPTION_BYTES_MAX = 16 * 1024

/**
 * Peers that forward a message. Its author sends it to all of its peers at once, and a peer that missed it learns of it within
 * a second, so that few need to forward it: with ten validators on two cores, transactions are in a block a third sooner than
 * with gossipsub's 6 to 12.
 */
const MESH_PEERS = { D: 3, Dlo: 2, Dhi: 4, Dout: 1, Dscore: 2 }

/**
 * Items of one message between two nodes: honest ones forward a message with each, and answer requests for some. Each is decoded,
 * hashed and looked up, however short.
 */
const MESSAGE_ITEMS = {
  maxSubscriptions: 16,
  maxMessages: 256,
  maxIhaveMessageIDs: 5_000,
  maxIwantMessageIDs: 5_000,
  maxControlMessages: 64,
  maxIdontwantMessageIDs: 512,
  maxPeerInfos: 16,
}

/**
 * Messages carry no signature: transactions are signed, and a message then has one id, whichever node forwards it. Many nodes
 * behind one address are usual: gossipsub's penalty for it is off.
 */
export const gossipOptions = (topic: string): Partial<GossipsubOpts> => ({
  globalSignaturePolicy: StrictNoSign,
  allowedTopics: [topic],
  ...MESH_PEERS,
  decodeRpcLimits: MESSAGE_ITEMS,
  floodPublish: true,
  maxTopicBytesPerPeer: SUBSCRIPTION_BYTES_MAX,
  msgIdFn: (message: Message) => keccak256(message.data).slice(0, MESSAGE_ID_BYTES),
  maxInboundDataLength: GOSSIP_BYTES_MAX + 1024,
  maxOutboundBufferSize: OUTBOUND_BUFFER_BYTES,
  maxInboundStreams: 2,
  maxOutboundStreams: 2,
  allowPublishToZeroTopicPeers: true,
  ignoreDuplicatePublishError: true,
  fallbackToFloodsub: false,
  emitSelf: false,
  doPX: false,
  scoreParams: { IPColocationFactorWeight: 0 },
})
