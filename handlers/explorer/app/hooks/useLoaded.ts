import { useEffect, useState } from 'preact/hooks'

/** Something that is read from the node. While it is read again, the earlier value stays. */
export type Loaded<T> = {
  readonly value: T | undefined
  readonly error: unknown
  readonly isLoading: boolean
}

const LOADING = { value: undefined, error: undefined, isLoading: true }

/**
 * Reads again whenever an element of `inputs` changes. The value of another `subject` is dropped at once.
 * @param load its answer is ignored once the inputs have changed
 */
export const useLoaded = <T>(
  subject: string,
  load: () => Promise<T>,
  inputs: readonly unknown[] = [],
): Loaded<T> => {
  const [state, setState] = useState<Loaded<T> & { readonly subject: string }>({ ...LOADING, subject })
  useEffect(() => {
    let isCurrent = true
    load().then(
      value => {
        if (isCurrent) setState({ subject, value, error: undefined, isLoading: false })
      },
      (error: unknown) => {
        if (isCurrent)
          setState(({ subject: before, value }) => ({
            subject,
            value: before === subject ? value : undefined,
            error,
            isLoading: false,
          }))
      },
    )
    return () => {
      isCurrent = false
    }
  }, [subject, ...inputs])
  return state.subject === subject ? state : LOADING
}
