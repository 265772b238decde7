import type { NodeOptions } from './nodeOptions.ts'

/** Settings whose default depends on the kind of chain. */
export type Enabled = {
  /** True without a genesis file: a development chain on this machine. */
  readonly development: boolean
  /** JSON-RPC over HTTP. */
  readonly http: boolean
  /** Connections to other nodes. */
  readonly p2p: boolean
}

export const enabledBy = ({
  genesisFile,
  rpcHttpEnabled,
  p2pEnabled,
}: Pick<NodeOptions, 'genesisFile' | 'rpcHttpEnabled' | 'p2pEnabled'>): Enabled => {
  const development = genesisFile === undefined
  return { development, http: rpcHttpEnabled ?? development, p2p: p2pEnabled ?? !development }
}
