/** `quorate/p2p`: the connections to other nodes over libp2p, their protocols and identities. */
export type { Log } from './log.ts'
export { NetworkError, type NetworkErrorCode } from './error.ts'
export type { Misbehaviour, Network, NetworkHandlers, NetworkOptions } from './network.ts'
export type { Peer, PeerStatus, Role } from './network.ts'
export { startNetwork } from './startNetwork.ts'
export { type Enode, EnodeError, type EnodeErrorCode, formatEnode, parseEnode } from './transport/enode.ts'
export { keyOfPeerId, peerIdOf } from './transport/identity.ts'
export { type Protocols, protocolsOf } from './transport/protocols.ts'
