import { addressOfPublicKey, publicKeyOf } from '../../core/crypto/crypto.ts'
import type { Address } from '../../core/bytes/bytes.ts'
import type { NetworkOptions, PeerStatus } from '../network.ts'
import { createPeerEvents } from '../peers/events.ts'
import { createPeerTable } from '../peers/peerTable.ts'
import { statementSigner } from '../validatorStatement.ts'
import { type Enode, parseEnode } from '../transport/enode.ts'
import type { Host } from '../transport/host.ts'
import { idOf } from '../transport/identity.ts'
import { createInboundConnectionLimit } from '../transport/inboundConnectionLimit.ts'
import { createKnownHosts } from '../pendingHandshakes.ts'
import { protocolsOf } from '../transport/protocols.ts'
import { rateLimitedLog } from '../transport/rateLimitedLog.ts'
import { safeHandlers } from './safeHandlers.ts'

/** State that changes while the network runs. */
type State = {
  isStopped: boolean
  /** When this node last sent a consensus message. */
  consensusSentAtMs: number
  /** The configured port, then the one that the host listens on. */
  port: number
  /** Undefined until it is created. */
  host: Host | undefined
}

const createState = (port: number): State => ({
  isStopped: false,
  consensusSentAtMs: -Infinity,
  port,
  host: undefined,
})

const ownAddressOf = (ownKey: Uint8Array, { statement, genesisHash }: PeerStatus): Address =>
  (statement === undefined ? undefined : statementSigner(statement, genesisHash, ownKey)) ??
  addressOfPublicKey(ownKey)

/** Dependencies shared by all parts of the network; created before the host. */
export const createBase = (options: NetworkOptions) => {
  const { nowMs } = options
  const ownKey = publicKeyOf(options.privateKey)
  const ownId = idOf(ownKey)
  const isOwn = ({ publicKey }: Enode): boolean => idOf(publicKey) === ownId
  const othersOf = (enodes: readonly string[]): readonly Enode[] =>
    enodes.map(parseEnode).filter(enode => !isOwn(enode))
  const log = rateLimitedLog(options.log, nowMs)
  const handlers = safeHandlers(options.handlers, log)
  const staticNodes = othersOf(options.staticNodes)
  const claims = new Map<string, Address>()
  return {
    options,
    ownKey,
    isOwn,
    log,
    handlers,
    bootnodes: othersOf(options.bootnodes),
    staticNodes,
    protocols: protocolsOf(handlers.status().genesisHash),
    knownHosts: createKnownHosts(staticNodes.map(({ host }) => host)),
    table: createPeerTable(ownKey),
    events: createPeerEvents(),
    inboundConnectionLimit: createInboundConnectionLimit(nowMs),
    ownAddress: ownAddressOf(ownKey, handlers.status()),
    claims,
    isValidator: (publicKey: Uint8Array): boolean =>
      handlers.roleOf(claims.get(idOf(publicKey)) ?? addressOfPublicKey(publicKey)) === 'validator',
    state: createState(options.port),
  }
}

export type Base = ReturnType<typeof createBase>
