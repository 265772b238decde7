import { useEffect, useState } from 'preact/hooks'
import type { Value } from '../rpc/value.ts'

/** The value, and a new rendering with each change. */
export const useValue = <T>(value: Value<T>): T => {
  const [, redraw] = useState(0)
  useEffect(() => value.watch(() => redraw(count => count + 1)), [value])
  return value.get()
}
