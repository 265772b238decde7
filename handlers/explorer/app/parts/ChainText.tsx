import { visibleParts } from '../format/text.ts'

/**
 * A text that comes from the chain: isolated, so that its writing direction does not move what stands beside it, with
 * invisible characters shown by name.
 */
export const ChainText = ({ text }: { readonly text: string }) => (
  <bdi class="foreign">
    {visibleParts(text).map(part => (part.isControl ? <code class="control">{part.text}</code> : part.text))}
  </bdi>
)
