/** Something that a store gave is not proved by what is trusted: it is wrong, or the proof is missing. It was not used. */
export class NotProved extends Error {
  override readonly name = 'NotProved'
  readonly code = 'NOT_PROVED'
  constructor(what: string, why: string) {
    super(`${what} is not proved: ${why}`)
  }
}
