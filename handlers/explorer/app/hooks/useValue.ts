import { useEffect, useState } from 'preact/hooks'
import type { Value } from '../rpc/value.ts'

/** The value, and a new rendering with each change. */
export const useValue = <T>(value: Value<T>): T => {
  const [, redraw] = useState(0)
  const drawn = value.get()
  useEffect(() => {
    const draw = (): void => redraw(count => count + 1)
    // Effects run some time after the page is drawn: the value may have changed since.
    if (!Object.is(value.get(), drawn)) draw()
    return value.watch(draw)
  }, [value])
  return drawn
}
