import { versions } from 'node:process'
import { toHex } from '../../../core/bytes/hex.ts'
import { cryptoEngineName } from '../../../core/crypto/crypto.ts'
import type { ChainConfiguration } from '../../../core/genesis/configuration.ts'
import type { ChainHead } from '../../../core/store/store.ts'
import { NAME, VERSION } from '../../product.ts'
import { RUNTIME } from '../../version.ts'

export type Summary = {
  readonly configuration: ChainConfiguration
  readonly genesis: ChainHead
  readonly head: ChainHead
  readonly dataPath: string
  readonly storage: string
  readonly address: Uint8Array
  /** The role of this node in the next block. */
  readonly role: string
  /** Undefined without a network. */
  readonly p2pAddress: string | undefined
  /** Undefined when JSON-RPC is off. */
  readonly rpcUrl: string | undefined
  /** Undefined when WebSocket is off. */
  readonly wsUrl: string | undefined
  /** The socket file of JSON-RPC; undefined when IPC is off. */
  readonly ipcPath: string | undefined
  /** Undefined when GraphQL is off. */
  readonly graphqlUrl: string | undefined
  /** Undefined when metrics are off. */
  readonly metricsUrl: string | undefined
  readonly startMs: number
}

/** The main facts of a node that has started, by name. */
export const summaryFields = (summary: Summary): Readonly<Record<string, string>> => ({
  version: `${NAME} v${VERSION} on ${RUNTIME} ${versions[RUNTIME]}, ${cryptoEngineName()} cryptography`,
  chain: `id ${summary.configuration.chainId}, ${summary.configuration.consensus.kind}`,
  genesis: toHex(summary.genesis.hash),
  head: `block ${summary.head.header.number} (${toHex(summary.head.hash)})`,
  'data path': `${summary.dataPath} (${summary.storage})`,
  node: toHex(summary.address),
  blocks: summary.role,
  p2p: summary.p2pAddress === undefined ? 'off, enable it with --p2p-enabled' : `on ${summary.p2pAddress}`,
  'json-rpc': summary.rpcUrl ?? 'off, enable it with --rpc-http-enabled',
  websocket: summary.wsUrl ?? 'off, enable it with --rpc-ws-enabled',
  ...(summary.ipcPath === undefined ? {} : { ipc: summary.ipcPath }),
  graphql: summary.graphqlUrl ?? 'off, enable it with --graphql-http-enabled',
  metrics: summary.metricsUrl ?? 'off, enable them with --metrics-enabled',
  started: `in ${summary.startMs} ms`,
})

/** Draws the fields in a box. */
export const summaryBox = (fields: Readonly<Record<string, string>>): string => {
  const nameWidth = Math.max(...Object.keys(fields).map(name => name.length))
  const lines = Object.entries(fields).map(([name, value]) => `${name.padEnd(nameWidth)}  ${value}`)
  const width = Math.max(...lines.map(line => line.length))
  const rule = '─'.repeat(width + 2)
  return [`┌${rule}┐`, ...lines.map(line => `│ ${line.padEnd(width)} │`), `└${rule}┘`].join('\n')
}
