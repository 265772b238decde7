/** Measures what the endpoints of a node do. Called synchronously: it returns at once and throws nothing. */
export type RpcObserver = {
  /** A call of a method of the table was answered; `errorType` names the error, undefined for a result. */
  readonly called: (method: string, milliseconds: number, errorType: string | undefined) => void
  /** A subscription of this type was created. */
  subscribed(type: string): void
  /** It was cancelled, or ended with its connection. */
  unsubscribed(type: string): void
}
