/** A value that comes later, for those who wait for it and for those who come after it. */
export type Late<T> = {
  /** The first one stays. */
  readonly set: (value: T) => void
  /** Uses it now where it is there, else when it comes. */
  use<Result>(use: (value: T) => Result | Promise<Result>): Result | Promise<Result>
}

export const createLate = <T>(): Late<T> => {
  let value: { readonly is: T } | undefined
  let tell: (value: T) => void = () => undefined
  const come = new Promise<T>(resolve => {
    tell = resolve
  })
  return {
    set: is => {
      value ??= { is }
      tell(is)
    },
    use: use => (value === undefined ? come.then(use) : use(value.is)),
  }
}
