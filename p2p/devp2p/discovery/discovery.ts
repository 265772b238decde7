/** Discovery v4 beside the connections. */
export type Discovery = {
  /** The query of the own enode URL: where discovery listens, when that is another port than the one of the connections. */
  enodeQuery(port: number): { readonly discoveryPort?: number }
  stop(): Promise<void>
}
