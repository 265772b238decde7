import type { NodeOptions } from './nodeOptions.ts'

/** What a node is and does where that follows from the kind of chain unless an option says otherwise. */
export type Enabled = {
  /** Without a genesis file: a chain of this machine alone, to develop against. */
  readonly development: boolean
  /** JSON-RPC over HTTP. */
  readonly http: boolean
  /** Connections with other nodes. */
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
