import { status } from '../chain/status.ts'
import { useValue } from '../hooks/useValue.ts'
import { feed } from '../rpc/heads.ts'

/** Why no block is decided, in the words of the node; or that the node is gone. */
export const StallBanner = () => {
  const { value } = useValue(status)
  const state = useValue(feed)
  const text =
    state === 'offline'
      ? 'The node does not answer. This page shows what it read before.'
      : value?.status === 'stalled'
        ? (value.explanation ?? 'No blocks are decided.')
        : undefined
  // Only the pool has nothing for a block: the network is well.
  const isIdle = state !== 'offline' && value?.kind === 'pool'
  return (
    // Always there, so that screen readers notice the text when it comes.
    <div role="alert">{text !== undefined && <p class={isIdle ? 'banner idle' : 'banner'}>{text}</p>}</div>
  )
}
