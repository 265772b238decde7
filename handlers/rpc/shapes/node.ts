import { toHex, toQuantity } from '../../../core/bytes/hex.ts'
import { rulesAt } from '../../../core/genesis/forkSchedule.ts'
import { genesisConfig } from '../config/genesisConfig.ts'
import type { RpcContext, RpcNetwork, RpcPeer } from '../context.ts'
import type { SyncingStatus } from '../../../core/chain/syncingStatus.ts'

/** Besu's version of the p2p handshake, which clients expect. */
const HANDSHAKE_VERSION = 5

/** Version of this node's own protocols, shown under `eth`. */
const PROTOCOL_VERSION = 1

/** Host and port of an enode URL; an IPv6 address is in brackets. */
const placeOf = (enode: string): { readonly host: string; readonly port: number } => {
  const [, host = '', port = '0'] = /@(.*?):(\d+)(?:\?.*)?$/.exec(enode) ?? []
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) }
}

/** From which block on a node that removed old blocks has them; Besu has no such field. */
const historyOf = (store: RpcContext['chain']['store']): Record<string, unknown> => {
  const start = store.historyStart?.()
  return start === undefined ? {} : { earliestBlock: toQuantity(start) }
}

/** The answer of admin_nodeInfo for the node with this enode URL. */
export const nodeShape = ({ chain, options }: RpcContext, enode: string): Record<string, unknown> => {
  const { host, port } = placeOf(enode)
  const { header, hash, totalDifficulty } = chain.head()
  const { fork } = rulesAt(chain.configuration, header.number, header.timestamp, header.difficulty)
  return {
    enode,
    listenAddr: host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`,
    ip: host,
    name: options.clientVersion,
    id: /^enode:\/\/([0-9a-f]*)/i.exec(enode)?.[1] ?? '',
    ports: { listener: port },
    protocols: {
      eth: {
        config: genesisConfig(chain.configuration),
        difficulty: Number(totalDifficulty),
        genesis: toHex(chain.genesis.hash),
        head: toHex(hash),
        network: Number(options.networkId),
        ...historyOf(chain.store),
      },
    },
    activeFork: fork.charAt(0).toUpperCase() + fork.slice(1),
  }
}

/** The version of the eth protocol with a devp2p peer. */
const ethVersionOf = (capabilities: readonly string[] | undefined): number => {
  if (capabilities === undefined) return PROTOCOL_VERSION
  return [69, 68].find(version => capabilities.includes(`eth/${version}`)) ?? 66
}

/** The element of admin_peers for one peer. */
export const peerShape = (
  peer: RpcPeer,
  { chain }: RpcContext,
  network: RpcNetwork,
): Record<string, unknown> => {
  const { publicKey, enode, remoteAddress, inbound, status, capabilities } = peer
  const own = network.enode === undefined ? undefined : placeOf(network.enode)
  // Difficulty 1 for each block on QBFT; peers of other chains do not send it.
  const difficulty = chain.genesis.totalDifficulty + status.headNumber
  return {
    version: toQuantity(HANDSHAKE_VERSION),
    name: status.client,
    caps: capabilities ?? network.capabilities,
    network: {
      localAddress: own === undefined ? '' : `${own.host}:${own.port}`,
      remoteAddress,
      inbound,
    },
    port: toQuantity(placeOf(enode).port),
    id: toHex(publicKey),
    protocols: {
      eth: {
        difficulty: toQuantity(difficulty),
        head: toHex(status.headHash),
        version: ethVersionOf(capabilities),
      },
    },
    enode,
  }
}

/** The answer of eth_syncing, and the notification of `syncing` subscriptions. */
export const syncingShape = (status: SyncingStatus | undefined): Record<string, unknown> | false =>
  status === undefined
    ? false
    : {
        startingBlock: toQuantity(status.startingBlock),
        currentBlock: toQuantity(status.currentBlock),
        highestBlock: toQuantity(status.highestBlock),
      }
