/** Bytes that are not one block of Snappy's format, or claim more than is allowed. */
export class SnappyError extends Error {
  override readonly name = 'SnappyError'
  readonly code: 'INVALID_SNAPPY' | 'OVERSIZED'

  constructor(message: string, code: 'INVALID_SNAPPY' | 'OVERSIZED' = 'INVALID_SNAPPY') {
    super(message)
    this.code = code
  }
}
