import { BLOCK_CODECS } from './blocks.ts'
import type { Codec } from './codec.ts'
import { CONSENSUS_CODECS } from './consensus.ts'
import { DEVP2P_CODECS } from './devp2p.ts'
import { PEER_CODECS } from './peers.ts'
import { STORE_CODECS } from './stores.ts'

/** Every decoder of bytes that another process, peer or store may have made, with its encoder. */
export const CODECS: readonly Codec[] = [
  ...BLOCK_CODECS,
  ...CONSENSUS_CODECS,
  ...STORE_CODECS,
  ...PEER_CODECS,
  ...DEVP2P_CODECS,
]
