/** One permission list as the methods see it. */
export type RpcAllowlist = {
  readonly list: () => readonly string[]
  /** @throws an error with a PermissionRefusal as its `code` */
  add(entries: readonly string[]): void
  /** @throws as add */
  remove(entries: readonly string[]): void
}

/** The permission lists of the node; a list is undefined where it is off. */
export type RpcPermissions = {
  readonly accounts: RpcAllowlist | undefined
  readonly nodes: RpcAllowlist | undefined
  /** Whether the list of nodes permits a connection with this enode. */
  permitsNode(enode: string): boolean
  /** Reads both lists from their files. @throws as RpcAllowlist */
  reload(): void
}
