/** A node whose genesis file or transitions differ from this node's. */
export type GenesisDifference = {
  /** The enode URL of a peer; the address and endpoint of a node that was refused. */
  readonly peer: string
  /** The names of the differing entries. */
  readonly entries: readonly string[]
  /** Of the differing entries the forks, each with the earlier of both nodes' first blocks or times, which acts first. */
  readonly forks?: Readonly<Record<string, string>>
  /** The address in hex of a node that was refused. */
  readonly address?: string
}
