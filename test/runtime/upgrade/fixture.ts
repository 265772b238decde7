/** What the data path of an earlier release has, and how it was asked for. */
export type Fixture = {
  readonly genesis: string
  readonly key: string
  readonly head: { readonly number: string; readonly hash: string; readonly stateRoot: string }
  /** Has 42 in slot 0 and one byte of code. */
  readonly contract: string
  /** Hash of the transaction that created it. */
  readonly creation: string
  /** Hash of a transaction that waits for earlier nonces. */
  readonly pending: string
  /** Content of the files in base64. */
  readonly files: Readonly<Record<string, string>>
}
