/** Data of an untrusted source is wrong, or its proof is missing. The data was not used. */
export class NotProved extends Error {
  override readonly name = 'NotProved'
  readonly code = 'NOT_PROVED'
  constructor(what: string, why: string) {
    super(`${what} is not proved: ${why}`)
  }
}
