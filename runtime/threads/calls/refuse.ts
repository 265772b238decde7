/** What only the main thread can do. @throws NotOnReader */
export const refuse = (): never => {
  throw new NotOnReader()
}

/** Something that throws whatever is asked of it, for what readers are not given. */
export const REFUSING: object = new Proxy({}, { get: refuse })

/** A method ran on a reader that needs more than the chain to read: its row must not say that it may. */
export class NotOnReader extends Error {
  override readonly name = 'NotOnReader'
  readonly code = 'NOT_ON_READER'
  constructor() {
    super('a method that runs aside may read the chain and nothing else of the node')
  }
}
