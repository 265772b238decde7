import type { ComponentChildren } from 'preact'
import type { Loaded } from '../hooks/useLoaded.ts'
import { describeFailure } from '../rpc/failure.ts'
import { Boundary } from './Boundary.tsx'
import { NodeText } from './ChainText.tsx'

type PanelProps = {
  readonly title: string
  readonly children: ComponentChildren
  readonly aside?: ComponentChildren
  readonly class?: string
}

/** A part of a page with a heading. */
export const Panel = ({ title, children, aside, class: extra = '' }: PanelProps) => (
  <section class={`panel ${extra}`} aria-label={title}>
    <header>
      <h2>{title}</h2>
      {aside}
    </header>
    <Boundary>{children}</Boundary>
  </section>
)

export const Notice = ({ children }: { readonly children: ComponentChildren }) => (
  <p class="notice">{children}</p>
)

/** Why a call has no result, in one sentence. */
export const Failure = ({ error, method }: { readonly error: unknown; readonly method?: string }) => (
  <Notice>
    <NodeText text={describeFailure(error, method)} />
  </Notice>
)

type ReadyProps<T> = {
  readonly of: Loaded<T>
  /** The method that gives the value, for the reason why there is none. */
  readonly method: string
  readonly children: (value: T) => ComponentChildren
}

/** Shows a value of the node once it is there, or why it is not. */
export const Ready = <T,>({ of: { value, error }, method, children }: ReadyProps<T>) => {
  if (value !== undefined) return <>{children(value)}</>
  if (error !== undefined) return <Failure error={error} method={method} />
  return <p class="loading">Reading…</p>
}
