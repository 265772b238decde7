import type { ComponentChildren } from 'preact'
import { useEffect, useErrorBoundary } from 'preact/hooks'
import { useValue } from '../hooks/useValue.ts'
import { head } from '../rpc/heads.ts'
import { ChainText } from './ChainText.tsx'

/**
 * Shows the reason in place of a part that cannot be drawn, because the answer of the node has another shape than that of its
 * method. The other parts of the page stay. The part is drawn again with the next block.
 */
export const Boundary = ({ children }: { readonly children: ComponentChildren }) => {
  const [error, reset] = useErrorBoundary()
  const number = useValue(head)
  useEffect(() => {
    // Never at once: Preact does not catch an error of the part while it draws the reason of the one before.
    if (error !== undefined) reset()
  }, [number])
  if (error === undefined) return <>{children}</>
  return (
    <p class="problem" role="alert">
      An answer of this node has another shape than its method gives, so this part cannot be shown:{' '}
      <ChainText text={error instanceof Error ? error.message : String(error)} />
    </p>
  )
}
