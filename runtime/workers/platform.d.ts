/** The part of the Workers platform that the Worker uses. */
declare module 'cloudflare:workers' {
  export type DurableObjectContext = {
    readonly storage: {
      readonly sql: {
        exec(query: string, ...values: readonly unknown[]): Iterable<Readonly<Record<string, unknown>>>
      }
      transactionSync<Result>(work: () => Result): Result
    }
  }
  export class DurableObject<Environment> {
    protected readonly ctx: DurableObjectContext
    protected readonly env: Environment
    constructor(ctx: DurableObjectContext, env: Environment)
  }
}

declare module '*.wasm' {
  const module: WebAssembly.Module
  export default module
}
