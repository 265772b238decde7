import { status } from '../chain/status.ts'
import { useValue } from '../hooks/useValue.ts'
import { NodeText } from '../parts/ChainText.tsx'
import { feed } from '../rpc/heads.ts'

/** The reason why no block is decided, as the node explains it, or that the node does not answer. */
export const StallBanner = () => {
  const { value } = useValue(status)
  const state = useValue(feed)
  const text =
    state === 'offline'
      ? 'The node does not answer. This page shows what it read before.'
      : value?.status === 'stalled'
        ? (value.explanation ?? 'No blocks are decided.')
        : undefined
  // There is no transaction to include: the network works.
  const isIdle = state !== 'offline' && value?.kind === 'pool'
  return (
    // The element always exists, so that screen readers notice a new text.
    <div role="alert">
      {text !== undefined && (
        <p class={isIdle ? 'banner idle' : 'banner'}>
          <NodeText text={text} />
        </p>
      )}
    </div>
  )
}
