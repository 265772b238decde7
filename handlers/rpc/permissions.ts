/** One allowlist, as the methods use it. */
export type RpcAllowlist = {
  readonly list: () => readonly string[]
  /** @throws an error with a PermissionRefusal as its `code` */
  add(entries: readonly string[]): void
  /** @throws as add */
  remove(entries: readonly string[]): void
}

/** The allowlists of the node; a disabled one is undefined. */
export type RpcPermissions = {
  readonly accounts: RpcAllowlist | undefined
  readonly nodes: RpcAllowlist | undefined
  /** True if the allowlist of nodes permits a connection to this enode. */
  permitsNode(enode: string): boolean
  /** Reads both lists from their files. @throws as RpcAllowlist */
  reload(): void
}
