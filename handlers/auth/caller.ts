/** What a token may permit: a row of the method table, or a permission of a transport's own, such as reading by GraphQL. */
export type Permission = {
  /** Shown in the audit log. */
  readonly name: string
  /** The entry of a token that grants it, such as `eth:blockNumber`. */
  readonly permission: string
}

/** What the audit log names when a request is refused before its body is read. */
export const ANY_METHOD: Permission = { name: 'any method', permission: '*:*' }

/** Who sent a request and what they may do; checked for every method before its parameters are read. */
export type Caller = {
  readonly permits: (needed: Permission) => boolean
  /** Records a refused permission in the audit log. */
  readonly denied: (needed: Permission) => void
}

/** The caller where authentication is off: everything is permitted. */
export const EVERYONE: Caller = { permits: () => true, denied: () => undefined }
