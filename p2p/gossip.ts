import { type GossipsubOpts, type Message, StrictNoSign } from '@libp2p/gossipsub'
import { keccak256 } from '../core/crypto/crypto.ts'
import { POOL_TRANSACTION_BYTES_MAX } from '../core/txpool/limits.ts'

/**
 * Of one gossiped message: the largest transaction that a pool takes, and what stands around it. Well below the 4 MiB where
 * gossipsub drops what it should send.
 */
export const GOSSIP_BYTES_MAX = POOL_TRANSACTION_BYTES_MAX + 64 * 1024

/** What waits for one slow peer; beyond it gossip to that peer is lost, which the pools of the others make good. */
const OUTBOUND_BUFFER_BYTES = 8 * 1024 * 1024

/** Enough of a keccak-256 hash to tell messages apart. */
const MESSAGE_ID_BYTES = 20

/** One topic for each chain, of which a peer needs one; subscriptions to others are ignored. */
const SUBSCRIPTION_BYTES_MAX = 16 * 1024

/**
 * Peers that a message is passed on to. Whoever sends it sends it to all of its peers at once, and what somebody missed he is
 * told of within a second, so that few have to pass it on: with ten validators on two cores, transactions are in a block a
 * third sooner than with gossipsub's 6 to 12.
 */
const MESH_PEERS = { D: 3, Dlo: 2, Dhi: 4, Dout: 1, Dscore: 2 }

/**
 * Messages carry no signature: a transaction is signed by itself, and one message then has one id whoever passes it on.
 * Many nodes behind one address are usual here, so that gossipsub's penalty for it is off.
 */
export const gossipOptions = (topic: string): Partial<GossipsubOpts> => ({
  globalSignaturePolicy: StrictNoSign,
  allowedTopics: [topic],
  ...MESH_PEERS,
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
