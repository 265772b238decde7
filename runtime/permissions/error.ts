/** Why a change of a list, or a reload, was refused; JSON-RPC answers with Besu's text of the code. */
export type PermissionErrorCode =
  | 'EMPTY_ACCOUNTS'
  | 'INVALID_ACCOUNT'
  | 'DUPLICATE_ACCOUNTS'
  | 'EXISTING_ACCOUNT'
  | 'ABSENT_ACCOUNT'
  | 'EMPTY_NODES'
  | 'INVALID_NODE'
  | 'DUPLICATE_NODES'
  | 'EXISTING_NODE'
  | 'ABSENT_NODE'
  | 'FIXED_NODE'
  | 'NOT_PERSISTED'
  | 'FILE_OUT_OF_SYNC'
  | 'RELOAD_FAILED'

export class PermissionError extends Error {
  override readonly name = 'PermissionError'
  readonly code: PermissionErrorCode
  constructor(code: PermissionErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
