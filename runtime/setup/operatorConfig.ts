import { isObject, type JsonObject } from '../../core/json.ts'
import { addressOfPublicKey } from '../../core/crypto/crypto.ts'
import type { Address } from '../../core/bytes/bytes.ts'
import { fromHex } from '../../core/bytes/hex.ts'
import { GenesisError } from '../../core/genesis/error.ts'
import { parseJson } from '../../core/genesis/parse/json.ts'
import { isOnCurve } from '../../p2p/transport/enode.ts'
import { CommandError } from '../cli/errors.ts'

/** Content of a configuration for `operator generate-blockchain-config`. */
export type OperatorConfig = {
  /** The genesis file without extraData. */
  readonly genesis: JsonObject
  /** The number of keys to create, or the public keys of validators that have theirs. */
  readonly nodes: { readonly count: number } | { readonly keys: readonly OperatorKey[] }
}

export type OperatorKey = { readonly publicKey: string; readonly address: Address }

/** Nodes that a network of validators can have. */
const NODES_MAX = 1_000

const fail = (problem: string): CommandError => new CommandError('INPUT', problem)

/** The member of that name in any case, as Besu reads it. */
const member = (json: JsonObject, name: string): unknown =>
  Object.entries(json).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1]

const sectionOf = (json: JsonObject, name: string): JsonObject | undefined => {
  const value = member(json, name)
  return isObject(value) ? value : undefined
}

const keyOf = (value: unknown): OperatorKey => {
  const invalid = (): CommandError =>
    fail(`${JSON.stringify(value)} is not a valid public key for elliptic curve secp256k1`)
  if (typeof value !== 'string' || !/^(0x)?[0-9a-f]{128}$/i.test(value)) throw invalid()
  const publicKey = `0x${value.replace(/^0x/i, '').toLowerCase()}`
  const bytes = fromHex(publicKey)
  if (!isOnCurve(bytes)) throw invalid()
  return { publicKey, address: addressOfPublicKey(bytes) }
}

const nodesOf = (section: JsonObject): OperatorConfig['nodes'] => {
  const keys = member(section, 'keys')
  const wantsKeys = member(section, 'generate') === true
  if (!wantsKeys) {
    if (!Array.isArray(keys) || keys.length === 0)
      throw fail(
        'blockchain.nodes must have "generate": true and a count, or the public keys of the validators in "keys"',
      )
    if (keys.length > NODES_MAX) throw fail(`blockchain.nodes.keys has more than ${NODES_MAX} keys`)
    return { keys: keys.map(keyOf) }
  }
  const count = member(section, 'count')
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 1 || count > NODES_MAX)
    throw fail(`blockchain.nodes.count must be a number of nodes from 1 to ${NODES_MAX}`)
  return { count }
}

const requireQbft = (genesis: JsonObject): void => {
  const config = sectionOf(genesis, 'config')
  if (config === undefined) throw fail('Missing config section in config file')
  const curve = member(config, 'ecCurve')
  if (curve !== undefined && curve !== 'secp256k1')
    throw fail(`config.ecCurve is ${JSON.stringify(curve)}: only secp256k1 is supported`)
  if (sectionOf(config, 'qbft') === undefined)
    throw fail('config has no qbft section: this node makes extraData for QBFT networks only')
}

/** Parses the configuration file. @throws CommandError of one sentence */
export const parseOperatorConfig = (text: string, path: string): OperatorConfig => {
  let json: unknown
  try {
    json = parseJson(text)
  } catch (error) {
    if (error instanceof GenesisError) throw fail(`${path}: ${error.message}`)
    throw error
  }
  if (!isObject(json)) throw fail(`${path} must hold a JSON object`)
  const genesis = sectionOf(json, 'genesis')
  if (genesis === undefined) throw fail(`${path} has no genesis section`)
  const nodes = sectionOf(sectionOf(json, 'blockchain') ?? {}, 'nodes')
  if (nodes === undefined) throw fail(`${path} has no blockchain.nodes section`)
  requireQbft(genesis)
  return { genesis, nodes: nodesOf(nodes) }
}

/** JSON with integers beyond 2^53 in full, which JSON.stringify does not take. */
export const writeJson = (value: unknown, indent = ''): string => {
  const inner = `${indent}  `
  if (typeof value === 'bigint') return value.toString()
  if (Array.isArray(value)) {
    const items = value.map(item => `${inner}${writeJson(item, inner)}`)
    return items.length === 0 ? '[]' : `[\n${items.join(',\n')}\n${indent}]`
  }
  if (!isObject(value)) return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([key, item]) => `${inner}${JSON.stringify(key)}: ${writeJson(item, inner)}`,
  )
  return members.length === 0 ? '{}' : `{\n${members.join(',\n')}\n${indent}}`
}
