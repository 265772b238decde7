/** What a release sends, by the last part of the name of the protocol. */
export type Transcript = {
  /** Text of the genesis file. */
  readonly genesis: string
  /** Messages in hex, in their order. */
  readonly frames: Readonly<Record<string, readonly string[]>>
}
