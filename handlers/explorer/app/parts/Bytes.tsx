import { formatBytes } from '../format/quantity.ts'
import type { Hex } from '../rpc/types.ts'

/** Characters that are shown at once; longer bytes open on demand. */
const LENGTH_MAX = 200
/** Longest bytes that are shown at all: a browser would take seconds for more. */
const OPENED_MAX = 200_000

const PREFIX = 2

/** Bytes in hex with their number. */
export const Bytes = ({ hex }: { readonly hex: Hex }) => {
  const count = (hex.length - PREFIX) / 2
  if (hex.length <= LENGTH_MAX) return <code class="bytes">{hex}</code>
  return (
    <details>
      <summary>
        <code>{hex.slice(0, 42)}…</code> <small>{formatBytes(count)}</small>
      </summary>
      <pre tabIndex={0}>
        {hex.slice(0, OPENED_MAX)}
        {hex.length > OPENED_MAX ? '…' : ''}
      </pre>
    </details>
  )
}
