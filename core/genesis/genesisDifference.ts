/** A peer whose genesis file or transitions differ from this node's: its enode URL and the names of the differing entries. */
export type GenesisDifference = { readonly peer: string; readonly entries: readonly string[] }
