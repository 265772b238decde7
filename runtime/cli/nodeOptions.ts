import type { OptionTable, OptionValues } from './option.ts'
import { BLOCK_OPTIONS } from './options/blocks.ts'
import { DEVELOPMENT_OPTIONS } from './options/development.ts'
import { FEE_OPTIONS } from './options/fees.ts'
import { GRAPHQL_OPTIONS } from './options/graphql.ts'
import { IPC_OPTIONS } from './options/ipc.ts'
import { METRICS_OPTIONS } from './options/metrics.ts'
import { NODE_BASE_OPTIONS } from './options/node.ts'
import { CONSENSUS_OPTIONS, P2P_OPTIONS } from './options/p2p.ts'
import { REPLICA_OPTIONS } from './options/replica.ts'
import { PERMISSION_OPTIONS } from './options/permissions.ts'
import { RPC_OPTIONS, SHARED_RPC_OPTIONS } from './options/rpc.ts'
import { SIGNING_OPTIONS } from './options/signing.ts'
import { HTTP_AUTH_OPTIONS, PROXY_OPTIONS, WS_AUTH_OPTIONS } from './options/rpcAuth.ts'
import { GRAPHQL_TLS_OPTIONS, HTTP_TLS_OPTIONS, WS_TLS_OPTIONS } from './options/tls.ts'
import { WS_OPTIONS } from './options/ws.ts'

/** The options of a node: Besu's names, meanings and defaults where Besu has the option. */
export const NODE_OPTIONS = {
  ...NODE_BASE_OPTIONS,
  ...SIGNING_OPTIONS,
  ...DEVELOPMENT_OPTIONS,
  ...REPLICA_OPTIONS,
  ...P2P_OPTIONS,
  ...CONSENSUS_OPTIONS,
  ...SHARED_RPC_OPTIONS,
  ...RPC_OPTIONS,
  ...WS_OPTIONS,
  ...GRAPHQL_OPTIONS,
  ...IPC_OPTIONS,
  ...HTTP_TLS_OPTIONS,
  ...WS_TLS_OPTIONS,
  ...GRAPHQL_TLS_OPTIONS,
  ...HTTP_AUTH_OPTIONS,
  ...WS_AUTH_OPTIONS,
  ...PROXY_OPTIONS,
  ...FEE_OPTIONS,
  ...BLOCK_OPTIONS,
  ...METRICS_OPTIONS,
  ...PERMISSION_OPTIONS,
} satisfies OptionTable

export type NodeOptions = OptionValues<typeof NODE_OPTIONS>
