import { METRICS_PORT, P2P_PORT, RPC_PORT } from '../cli/ports.ts'
import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { toHex } from '../../core/bytes/hex.ts'
import { decodeGenesisExtraData } from '../../core/block/codec/extraData.ts'
import { formatEnode } from '../../p2p/transport/enode.ts'
import { CommandError } from '../cli/errors.ts'
import { createNodeKey, type NodeKey, readNodeKey } from '../keys/nodeKey.ts'
import { readGenesisIfPresent } from '../node/opening/genesisFile.ts'
import { newNetworkGenesis } from './networkGenesis.ts'

/** A network that is set up in a folder. */
export type NetworkRequest = {
  /** Absolute. */
  readonly folder: string
  readonly validators: number
  /** One for each validator, or none: all on this machine. */
  readonly hosts: readonly string[]
  readonly blockPeriodSeconds: number
  /** Undefined draws one. */
  readonly chainId: number | undefined
}

/** One validator, and where it runs. */
export type PlannedNode = {
  readonly name: string
  /** Its folder in that of the network. */
  readonly folder: string
  /** Its folder where it runs. */
  readonly home: string
  readonly key: NodeKey
  readonly hasKey: boolean
  readonly host: string
  readonly p2pPort: number
  readonly rpcPort: number
  readonly metricsPort: number
  readonly enode: string
}

export type NetworkPlan = {
  readonly folder: string
  readonly isLocal: boolean
  readonly nodes: readonly PlannedNode[]
  /** Undefined where the folder has one already. */
  readonly newGenesis: string | undefined
}

export const GENESIS_FILE = 'genesis.json'
export const CONFIG_FILE = 'quorate.toml'
export const UNIT_FILE = 'quorate.service'
/** Of nodes that are all on this machine, which then listen for no other. */
export const LOCAL_HOST = '127.0.0.1'
/** Where the nodes of several machines keep their files. */
export const STATE_ROOT = '/var/lib'
const REMOTE_HOME = join(STATE_ROOT, 'quorate')

/** Chain ids that no public network has, and that a JavaScript number holds exactly. */
const CHAIN_ID_MIN = 100_000_000
const CHAIN_ID_END = 2 ** 31

export const keyPath = ({ folder }: Pick<PlannedNode, 'folder'>): string => join(folder, 'data', 'key')

/** Where the node reads its options. */
export const configPath = ({ home }: Pick<PlannedNode, 'home'>): string => join(home, CONFIG_FILE)

const nodeOf = (request: NetworkRequest, index: number): PlannedNode => {
  const name = `validator${index + 1}`
  const folder = join(request.folder, name)
  const kept = readNodeKey(keyPath({ folder }))
  const key = kept ?? createNodeKey()
  const host = request.hosts[index]
  // Several nodes of one machine need different ports.
  const offset = host === undefined ? index : 0
  const p2pPort = P2P_PORT + offset
  return {
    name,
    folder,
    home: host === undefined ? folder : REMOTE_HOME,
    key,
    hasKey: kept !== undefined,
    host: host ?? LOCAL_HOST,
    p2pPort,
    rpcPort: RPC_PORT + offset,
    metricsPort: METRICS_PORT + offset,
    enode: formatEnode({ publicKey: key.publicKey, host: host ?? LOCAL_HOST, port: p2pPort }),
  }
}

/** @throws CommandError when the folder holds another network than the planned one */
const requireSameNetwork = ({ folder }: NetworkRequest, nodes: readonly PlannedNode[]): boolean => {
  const path = join(folder, GENESIS_FILE)
  const genesis = readGenesisIfPresent(path)
  if (genesis === undefined) return false
  const kept = decodeGenesisExtraData(genesis.header.extraData).validators.map(toHex).sort()
  const planned = nodes.map(({ key }) => toHex(key.address)).sort()
  if (kept.join() !== planned.join())
    throw new CommandError(
      'DATA_PATH',
      `${path} is of ${kept.length} validators, and the keys in its folder are of others: give --validators=${kept.length}, restore the keys, or choose an empty folder`,
    )
  return true
}

/** Reads what the folder holds, and plans what it lacks. Writes nothing. @throws CommandError */
export const planNetwork = (request: NetworkRequest): NetworkPlan => {
  const nodes = Array.from({ length: request.validators }, (_, index) => nodeOf(request, index))
  const isKept = requireSameNetwork(request, nodes)
  return {
    folder: request.folder,
    isLocal: request.hosts.length === 0,
    nodes,
    newGenesis: isKept
      ? undefined
      : newNetworkGenesis({
          chainId: request.chainId ?? randomInt(CHAIN_ID_MIN, CHAIN_ID_END),
          blockPeriodSeconds: request.blockPeriodSeconds,
          validators: nodes.map(({ key }) => key.address),
        }),
  }
}
