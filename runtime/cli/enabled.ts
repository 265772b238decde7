import type { NodeOptions } from './nodeOptions.ts'

/** Settings whose default depends on the kind of chain. */
export type Enabled = {
  /** True without a genesis file: a development chain on this machine. */
  readonly development: boolean
  /** JSON-RPC over HTTP. */
  readonly http: boolean
  /** The block explorer, on the port of JSON-RPC over HTTP. */
  readonly explorer: boolean
  /** The index of transactions by account. */
  readonly index: boolean
  /** Connections to other nodes. */
  readonly p2p: boolean
}

export const enabledBy = ({
  genesisFile,
  rpcHttpEnabled,
  explorerEnabled,
  explorerIndex,
  p2pEnabled,
}: Pick<
  NodeOptions,
  'genesisFile' | 'rpcHttpEnabled' | 'explorerEnabled' | 'explorerIndex' | 'p2pEnabled'
>): Enabled => {
  const development = genesisFile === undefined
  const http = rpcHttpEnabled ?? development
  return {
    development,
    http,
    explorer: http && (explorerEnabled ?? development),
    index: explorerIndex ?? development,
    p2p: p2pEnabled ?? !development,
  }
}
