import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { formatEnode } from '../../p2p/transport/enode.ts'
import { CommandError } from '../cli/errors.ts'
import { writeFileAtomically } from '../files/atomic.ts'
import { createNodeKey, type NodeKey, readNodeKey, writeNodeKey } from '../keys/nodeKey.ts'
import { networkGenesisText } from './genesis.ts'

/** One node of the network: a folder with its key, its chain and its log. */
export type Member = {
  /** `validator1` and so on; `rpc` for the RPC node. */
  readonly name: string
  readonly dataPath: string
  readonly key: NodeKey
}

export type NetworkFolder = {
  readonly genesisPath: string
  readonly validators: readonly Member[]
  readonly rpc: Member
}

export type NetworkFolderOptions = {
  readonly path: string
  readonly validators: number
  readonly blockPeriodSeconds: number
  readonly blockPeriodMs: number
}

const memberOf = (path: string, name: string): Member => {
  const dataPath = join(path, name)
  const keyPath = join(dataPath, 'key')
  const kept = readNodeKey(keyPath)
  const key = kept ?? createNodeKey()
  if (kept === undefined) writeNodeKey(keyPath, key)
  return { name, dataPath, key }
}

/** Counts the validator folders of an earlier run. */
const countValidators = (path: string): number =>
  existsSync(path) ? readdirSync(path).filter(name => /^validator\d+$/.test(name)).length : 0

/**
 * Reads the keys and the genesis file of the network in the folder, and creates those that are missing.
 * @throws CommandError if the folder holds a network of another size, or invalid files
 */
export const prepareNetworkFolder = (options: NetworkFolderOptions): NetworkFolder => {
  const { path, validators: count } = options
  const genesisPath = join(path, 'genesis.json')
  const kept = existsSync(genesisPath) ? countValidators(path) : undefined
  if (kept !== undefined && kept !== count)
    throw new CommandError(
      'DATA_PATH',
      `${path} holds a network of ${kept} validators: start it with --validators=${kept}, or give another --data-path, or remove the folder`,
    )
  const validators = Array.from({ length: count }, (_, index) => memberOf(path, `validator${index + 1}`))
  const rpc = memberOf(path, 'rpc')
  // Last, so that a folder with a genesis file is complete.
  if (kept === undefined)
    writeFileAtomically(
      genesisPath,
      networkGenesisText({ ...options, validators: validators.map(({ key }) => key.address) }),
    )
  return { genesisPath, validators, rpc }
}

/** Writes the static nodes of each node: all others, so that they find one another in any order of starts. */
export const writeStaticNodes = (members: readonly Member[], portOf: (member: Member) => number): void => {
  const enodeOf = (member: Member): string =>
    formatEnode({ publicKey: member.key.publicKey, host: '127.0.0.1', port: portOf(member) })
  for (const member of members) {
    const others = members.filter(other => other !== member).map(enodeOf)
    writeFileAtomically(
      join(member.dataPath, 'static-nodes.json'),
      `${JSON.stringify(others, undefined, 2)}\n`,
    )
  }
}
