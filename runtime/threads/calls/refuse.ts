/** Stands for a function that exists on the main thread only. @throws NotOnCallWorker */
export const refuse = (): never => {
  throw new NotOnCallWorker()
}

/** An object that throws on any property access, for parts of the node that call workers do not have. */
export const REFUSING: object = new Proxy({}, { get: refuse })

/** A method on a call worker used more than the chain: its row must not be marked for offloading. */
class NotOnCallWorker extends Error {
  override readonly name = 'NotOnCallWorker'
  readonly code = 'NOT_ON_CALL_WORKER'
  constructor() {
    super('an offloaded method may read the chain and no other part of the node')
  }
}
